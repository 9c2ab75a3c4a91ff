// SPDX-License-Identifier: Apache-2.0

// Files that outgrow the address space that was reserved for them, or whose slab was given up: they
// are mapped elsewhere, and what was read before stays where it is.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct MovedFileTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.file("a.realm")
  }

  /// A file that reserves one page at first.
  private func open(_ isEncrypted: Bool) throws -> DatabaseFile {
    var options = OpenOptions(encryptionKey: isEncrypted ? try TestKeys.vector() : nil)
    options.reservedByteCount = 1
    options.slabByteCount = 64 << 20
    return try DatabaseFile.open(
      path: path, options: options, system: SystemFiles(), registry: FileRegistry())
  }

  private func write(
    _ numbers: [Int64], to file: DatabaseFile
  ) throws(StorageError) -> Snapshot {
    let write = try file.beginWrite()
    try write.orRollback { () throws(StorageError) in
      try NumberTree.replace(with: numbers, in: write)
    }
    return try write.commit(changeset: [])
  }

  // MARK: Growth

  /// `FileMapping` 1, 2 and 3, `DatabaseFile` 2.
  @Test(arguments: [false, true]) func olderVersionsStayWhereTheyAre(_ isEncrypted: Bool) throws {
    let file = try open(isEncrypted)
    let first = file.currentMapping
    var versions: [(Snapshot, [Int64])] = []
    for round in 1...12 {
      let numbers = (0..<Int64(1 << (round + 2))).map { $0 * Int64(round) }
      versions.append((try write(numbers, to: file), numbers))
    }
    expectTrue(file.currentMapping !== first)
    expectTrue(file.currentMapping.capacity > first.capacity * 8)
    for (snapshot, numbers) in versions {
      try expectEqual(NumberTree.numbers(of: snapshot), numbers)
    }
    try expectEqual(file.check(file.snapshot()).map(\.description), [])
  }

  /// One transaction that is many times as large as what is reserved.
  @Test(arguments: [false, true]) func oneTransactionOutgrowsTheReservation(
    _ isEncrypted: Bool
  ) throws {
    let file = try open(isEncrypted)
    let old = try write([1, 2, 3], to: file)
    let numbers = (0..<Int64(40_000)).map { $0 &* 0x1_0000_0001 }
    let new = try write(numbers, to: file)
    try expectEqual(NumberTree.numbers(of: old), [1, 2, 3])
    try expectEqual(NumberTree.numbers(of: new), numbers)
    expectTrue(old.mapping !== new.mapping)
    // The transaction that is under way when the file moves goes on where it began.
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers + numbers, in: write)
    let reader = try open(isEncrypted)
    try expectEqual(NumberTree.numbers(of: reader.snapshot()), numbers)
    let last = try write.commit(changeset: [])
    try expectEqual(NumberTree.numbers(of: last), numbers + numbers)
    try expectEqual(NumberTree.numbers(of: reader.snapshot()), numbers + numbers)
  }

  @Test(.heavy, arguments: [false, true])
  func readersOfOtherThreadsReadWhileTheFileMoves(_ isEncrypted: Bool) async throws {
    let file = try open(isEncrypted)
    let other = try open(isEncrypted)
    _ = try write([0], to: file)
    let isOver = Locked(false)
    let threads = (0..<3).map { index in
      let done = Handover<Result<Int, StorageError>>()
      _ = BackgroundThread.start(named: "reader") {
        var count = 0
        do throws(StorageError) {
          while !isOver.withLock({ $0 }) || count == 0 {
            let snapshot = try (index == 0 ? other : file).snapshot()
            let numbers = try NumberTree.numbers(of: snapshot)
            guard numbers.allSatisfy({ $0 == Int64(numbers.count) || numbers.count == 1 }) else {
              throw .corrupted("a reader saw \(numbers.prefix(3)) of \(numbers.count)")
            }
            count += 1
          }
          done.give(.success(count))
        } catch {
          done.give(.failure(error))
        }
      }
      return done
    }
    var generator = SeededGenerator(seed: 48)
    for round in 1...40 {
      if round % 8 == 0 { _ = SlabSpace.shared.detachIdle() }
      let count = Int.random(in: 1...40, using: &generator) * round * 8
      _ = try write([Int64](repeating: Int64(count), count: count), to: file)
    }
    isOver.withLock { $0 = true }
    for thread in threads { expectTrue(try thread.wait().get() > 0) }
  }

  /// In one transaction a file may grow up to its slab.
  @Test func aFileMayReachItsSlab() throws {
    func lengths(reserving byteCount: Int, slab: Int) throws -> [Int] {
      var options = OpenOptions(isInMemory: true)
      options.reservedByteCount = byteCount
      options.slabByteCount = slab
      let file = try DatabaseFile.open(path: "slab-\(slab)", options: options)
      let bytes = [UInt8](repeating: 5, count: 20_000)
      return try (1...90).map { _ in
        let write = try file.beginWrite()
        let blob = try withView(of: bytes) { (view) throws(StorageError) in
          try BlobNode.make(view, in: write.allocator).ref.slot
        }
        let root = write.roots.tables
        write.roots.tables =
          root.isNull
          ? try IntegerNode.make([blob], flags: .hasRefs, in: write.allocator).ref
          : try IntegerNode.append(blob, to: root, write.allocator)
        return try write.commit(changeset: []).space.fileEnd
      }
    }
    let usual = try lengths(reserving: 64 << 20, slab: 16 << 20)
    // A step by which the file becomes longer than ever.
    let step = try #require(
      usual.indices.dropLast().last { index in
        let growth = usual[index + 1] - usual[index]
        return usual[index] == usual[...index].max() && growth >= 96 << 10 && growth % 8192 == 0
      })
    let slab = (usual[step + 1] - usual[step]) / FileMapping.gapPerSlab
    try expectEqual(lengths(reserving: usual[step], slab: slab), usual)
  }

  /// Twice the length of a file is reserved, or what is wanted, in whole pages.
  @Test func wholePagesAreReserved() {
    let page = SystemFiles.pageSize
    for (byteCount, wanted, capacity) in [
      (0, 1, page), (page / 2, 1, page), (page / 2 + 1, 1, 2 * page), (page, 0, 2 * page),
      (1, 3 * page, 3 * page), (1, 3 * page + 1, 4 * page), (2 * page, 3 * page, 4 * page),
    ] {
      expectEqual(FileMapping.capacity(for: byteCount, atLeast: wanted), capacity)
    }
  }

  /// A version that is mapped to its end costs no call.
  @Test func whatIsMappedIsNotMeasured() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let end = file.currentMapping.byteCount
    system.file.clearTrace()
    try expectTrue(file.mapping(through: end) === file.currentMapping)
    expectEqual(system.file.callCount, 0)
  }

  // MARK: Slabs

  /// Takes the addresses of a snapshot's slab away, once nobody uses it.
  private func occupySlab(of snapshot: Snapshot) -> (address: UnsafeMutableRawPointer, count: Int) {
    let reservation = snapshot.mapping.reservation
    _ = SlabSpace.shared.detachIdle()
    let count = SystemFiles.pageSize
    let wanted = reservation.base + reservation.slabStart
    let address = mmap(wanted, count, PROT_NONE, MAP_PRIVATE | SlabSpace.anonymous, -1, 0)
    return (address!, count)
  }

  @Test(arguments: [false, true]) func aFileMovesWhoseSlabHasNoPlace(_ isEncrypted: Bool) throws {
    let file = try open(isEncrypted)
    let old = try write([1, 2, 3], to: file)
    let taken = occupySlab(of: old)
    defer { munmap(taken.address, taken.count) }
    let new = try write([4, 5, 6], to: file)
    expectTrue(old.mapping !== new.mapping)
    try expectEqual(NumberTree.numbers(of: old), [1, 2, 3])
    try expectEqual(NumberTree.numbers(of: new), [4, 5, 6])
    // A pending commit is continued where there is a slab.
    let write = try file.beginWrite()
    try NumberTree.replace(with: [7], in: write)
    let pending = try write.writeVersion(changeset: [])
    let takenToo = occupySlab(of: pending.snapshot)
    defer { munmap(takenToo.address, takenToo.count) }
    let next = try pending.begin()
    try NumberTree.replace(with: [8], in: next)
    let last = try next.writeVersion(changeset: [])
    try last.makeDurable()
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [8])
    try expectEqual(NumberTree.numbers(of: new), [4, 5, 6])
  }

  /// A place that the file has outgrown by half stays until a plain file is closed; that of an
  /// encrypted one goes with its last version.
  /// `FileMapping` 3.
  @Test(arguments: [false, true]) func aSmallerPlaceStays(_ isEncrypted: Bool) throws {
    let file = try open(isEncrypted)
    weak var former: FileMapping?
    do {
      let old = try write([1, 2, 3], to: file)
      former = old.mapping
      // A plain file is as long as its place, so that the next one is just twice as long.
      if !isEncrypted { expectEqual(old.mapping.byteCount, old.mapping.capacity) }
      let taken = occupySlab(of: old)
      defer { munmap(taken.address, taken.count) }
      _ = try write([4], to: file)
      expectTrue(file.currentMapping !== old.mapping)
      if !isEncrypted { expectEqual(file.currentMapping.capacity, 2 * old.mapping.capacity) }
    }
    expectEqual(former == nil, isEncrypted)
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [4])
  }

  /// A pending commit is continued in the newest place, whose slab it takes.
  /// `SlabSpace` 1.
  @Test func aSlabOfANewerPlaceIsTaken() throws {
    let file = try open(false)
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2], in: write)
    let pending = try write.writeVersion(changeset: [])
    let taken = occupySlab(of: pending.snapshot)
    defer { munmap(taken.address, taken.count) }
    try file.reserve(through: 4 * file.currentMapping.capacity)
    expectTrue(file.currentMapping !== pending.snapshot.mapping)
    let next = try pending.begin()
    expectTrue(next.base.mapping === file.currentMapping)
    // A slab that no writer has taken would go now.
    _ = SlabSpace.shared.detachIdle()
    try NumberTree.replace(with: [3, 4], in: next)
    try next.writeVersion(changeset: []).makeDurable()
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [3, 4])
  }

  /// `SlabSpace` 1 and 2.
  @Test func slabsThatAreInUseStayAndOthersGo() throws {
    let page = SystemFiles.pageSize
    let slabs = SlabSpace(byteLimit: 2 * page)
    func reserve() throws(StorageError) -> AddressReservation {
      try AddressReservation(
        path: "slabs", fileCapacity: page, slabCapacity: page, minimumFileCapacity: page,
        slabs: slabs)
    }
    func touch(_ reservation: AddressReservation) -> UInt8 {
      let byte = (reservation.base + page).assumingMemoryBound(to: UInt8.self)
      byte.pointee += 1
      return byte.pointee
    }
    let used = try (0..<4).map { _ in try reserve() }
    for reservation in used { expectEqual(touch(reservation), 1) }
    expectFalse(slabs.detachIdle())
    for reservation in used { expectEqual(touch(reservation), 2) }
    for reservation in used { reservation.giveSlabBack() }
    // The limit is kept by the next one that needs a slab.
    let last = try reserve()
    expectEqual(touch(last), 1)
    last.giveSlabBack()
    expectTrue(slabs.detachIdle())
    expectFalse(slabs.detachIdle())
    // What is taken again is new memory, in its old place.
    for reservation in used where reservation.takeSlab() {
      expectEqual(touch(reservation), 1)
      reservation.giveSlabBack()
      expectTrue(reservation.takeSlab())
      expectEqual(touch(reservation), 2)
    }
  }

  // MARK: Random runs

  /// A file of two processes moves at random, under pinned versions.
  /// `NodeSpace` 1.
  @Test(.heavy, arguments: [false, true]) func randomMoves(_ isEncrypted: Bool) throws {
    for seed in RandomRuns.seeds(6) {
      try FileManager.default.removeItem(atPath: directory.path)
      try FileManager.default.createDirectory(
        atPath: directory.path, withIntermediateDirectories: true)
      try runRandomMoves(seed, isEncrypted)
    }
  }

  private func runRandomMoves(_ seed: UInt64, _ isEncrypted: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    let files = try [open(isEncrypted), open(isEncrypted)]
    var pinned: [(snapshot: Snapshot, numbers: [Int64])] = []
    var taken: [(address: UnsafeMutableRawPointer, count: Int)] = []
    defer { for place in taken { munmap(place.address, place.count) } }
    for _ in 0..<40 {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: _ = SlabSpace.shared.detachIdle()
      case 1: if let last = pinned.last { taken.append(occupySlab(of: last.snapshot)) }
      case 2:
        if !pinned.isEmpty {
          pinned.remove(at: Int.random(in: 0..<pinned.count, using: &generator))
        }
      case 3:
        let write = try files[Int.random(in: 0..<2, using: &generator)].beginWrite()
        try NumberTree.replace(with: [9, 9, 9], in: write)
        write.rollback()
      default:
        let count = Int.random(
          in: 1...(1 << Int.random(in: 2...13, using: &generator)), using: &generator)
        let first = Int64.random(in: 0...1 << 40, using: &generator)
        let numbers = (0..<Int64(count)).map { first + $0 }
        let file = files[Int.random(in: 0..<2, using: &generator)]
        pinned.append((try write(numbers, to: file), numbers))
      }
      for file in files {
        try expectEqual(
          NumberTree.numbers(of: file.snapshot()).count,
          NumberTree.numbers(of: files[0].snapshot()).count, "seed \(seed)")
      }
      for (snapshot, numbers) in pinned {
        try expectEqual(NumberTree.numbers(of: snapshot), numbers, "seed \(seed)")
      }
    }
    try expectEqual(
      files[0].check(files[0].snapshot()).map(\.description), [], "seed \(seed)")
  }

  // MARK: Many files, and no addresses

  /// As many files as descriptors allow, which is two each.
  @Test(.heavy) func tenThousandFilesAreOpen() async {
    await #expect(processExitsWith: .success) {
      let wanted = 10_000
      let count = try ManyFiles.descriptorLimit(raisedTo: wanted * 2 + 200).map {
        min(wanted, ($0 - 200) / 2)
      }
      guard let count, count > 1000 else { return }
      if count < wanted { FileHandle.standardError.write(Data("only \(count) files\n".utf8)) }
      var files: [DatabaseFile] = []
      for number in 0..<count {
        let file = try DatabaseFile.open(
          path: "many-\(number)", options: OpenOptions(isInMemory: true))
        let write = try file.beginWrite()
        try NumberTree.replace(with: [Int64(number)], in: write)
        _ = try write.commit(changeset: [])
        files.append(file)
      }
      // Some of them are written again, whose slabs were given up.
      for number in stride(from: 0, to: count, by: count / 100) {
        let write = try files[number].beginWrite()
        try NumberTree.replace(with: [Int64(number), 1], in: write)
        try #require(NumberTree.numbers(of: write.commit(changeset: [])) == [Int64(number), 1])
      }
      for number in stride(from: 1, to: count, by: count / 90) {
        try #require(
          NumberTree.numbers(of: files[number].snapshot()).first == Int64(number))
      }
    }
  }

  #if os(Linux)
  /// The error is the documented one, and what was there stays.
  @Test(arguments: [false, true]) func aRefusedReservationChangesNothing(
    _ isEncrypted: Bool
  ) async {
    await #expect(processExitsWith: .success) { [isEncrypted] in
      let directory = try TemporaryDirectory()
      var options = OpenOptions(encryptionKey: isEncrypted ? try TestKeys.vector() : nil)
      options.reservedByteCount = 1
      options.slabByteCount = 64 << 20
      let file = try DatabaseFile.open(path: directory.file("a.realm"), options: options)
      func write(_ count: Int) throws -> Snapshot {
        let write = try file.beginWrite()
        try NumberTree.replace(with: [Int64](repeating: 1 << 40, count: count), in: write)
        return try write.commit(changeset: [])
      }
      let old = try write(300)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      let unlimited = limit
      let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
      let pages = text.split(separator: " ").first.flatMap { rlim_t($0) } ?? 0
      // There is room for what the test allocates, and none for a slab.
      limit.rlim_cur = pages * rlim_t(SystemFiles.pageSize) + 12 << 20
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      let error = #expect(throws: StorageError.self) { try write(20_000) }
      var isRight = false
      if case .addressSpaceExhausted = error { isRight = true }
      limit = unlimited
      setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
      try #require(isRight, "\(String(describing: error))")
      try #require(NumberTree.numbers(of: old).count == 300)
      try #require(file.newestVersion == old.version)
      try #require(NumberTree.numbers(of: write(20_000)).count == 20_000)
      try #require(NumberTree.numbers(of: old).count == 300)
      try #require(file.check(file.snapshot()).isEmpty)
    }
  }
  #endif
}

/// Limits of the process for tests with many files.
private enum ManyFiles {
  /// The number of descriptors that the process may have, after an attempt to raise it.
  static func descriptorLimit(raisedTo wanted: Int) throws -> Int? {
    var limit = rlimit()
    #if os(Linux)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return nil }
    let old = limit
    // Only a privileged process may raise what the system allows at most.
    limit.rlim_cur = max(old.rlim_cur, rlim_t(wanted))
    limit.rlim_max = max(old.rlim_max, limit.rlim_cur)
    if setrlimit(resource, &limit) != 0 {
      limit = old
      limit.rlim_cur = old.rlim_max
      guard setrlimit(resource, &limit) == 0 else { return nil }
    }
    return Int(clamping: limit.rlim_cur)
  }
}
