// SPDX-License-Identifier: Apache-2.0

// Backups that are interrupted: the next attempt goes on, and trusts nothing that it finds.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

private let path = "/simulated/source.realm"
private let target = "/simulated/backup.realm"
private let unfinished = target + ".unfinished-backup"
private let other = target + ".other"

/// Random bytes.
private func noise(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 8)
  while bytes.count < count {
    let word = random.next()
    unsafe withUnsafeBytes(of: word) { unsafe bytes.append(contentsOf: $0) }
  }
  return Array(bytes.prefix(count))
}

struct UnfinishedBackupTests {
  /// A file with two versions, and what a backup of each is.
  private struct Bench {
    let folder: SimulatedFolder
    let key: EncryptionKey?
    let versions: [Snapshot]
    let backups: [[UInt8]]

    /// - Parameter byteCount: How large each of twelve values is.
    init(isEncrypted: Bool, valueOf byteCount: Int = 100_000) throws {
      key = isEncrypted ? try TestKeys.vector() : nil
      folder = try SimulatedFolder(path, contents: [])
      let file = try DatabaseFile.open(
        path: path, options: OpenOptions(encryptionKey: key), system: folder,
        registry: FileRegistry())
      var random = SeededGenerator(seed: 5)
      var versions: [Snapshot] = []
      for round in 0..<2 {
        let write = try file.beginWrite()
        if round == 0 {
          write.roots.tables = try IntegerNode.make(flags: .hasRefs, in: write.allocator).ref
        }
        for index in 0..<12 where round == 0 || index > 8 {
          let bytes = noise(byteCount, &random)
          let blob = try unsafe bytes.withUnsafeBytes {
            try unsafe BlobNode.make(ByteView($0), in: write.allocator)
          }
          let tables = write.roots.tables
          write.roots.tables =
            round == 0
            ? try IntegerNode.append(blob.ref.slot, to: tables, write.allocator)
            : try IntegerNode.set(blob.ref.slot, at: index, in: tables, write.allocator)
        }
        _ = try write.commit(changeset: [])
        versions.append(try file.snapshot())
      }
      self.versions = versions
      backups = try versions.map { [key] version in
        let copy = try MemoryFiles.makeFile(named: other)
        try version.write(to: copy, key: key, history: .whole(ofLocal: true))
        var bytes = [UInt8](repeating: 0, count: try copy.byteCount())
        _ = try unsafe bytes.withUnsafeMutableBytes { try unsafe copy.read(into: $0, at: 0) }
        return bytes
      }
    }

    /// Makes a backup, which is cancelled after so many questions; how much of another one it kept.
    @discardableResult
    func run(_ version: Int = 0, cancelledAfter count: Int = .max) throws -> Int {
      let backup = try UnfinishedBackup(to: target, else: other, of: path, in: folder)
      var left = count
      try backup.write(
        versions[version], key: key,
        WorkWatch(isCancelled: {
          left -= 1
          return left < 0
        }))
      return backup.keptByteCount
    }

    /// Lets there be an interrupted backup with these bytes.
    func put(_ bytes: [UInt8]) throws {
      folder.discard(unfinished)
      let copy = try folder.makeCopy(unfinished, rights: nil)
      try unsafe bytes.withUnsafeBytes { try unsafe copy.write($0, at: 0) }
    }

    var found: [UInt8]? { try? folder.files[unfinished]?.contents() }

    func expectWhole(_ version: Int = 0, _ comment: Comment? = nil) throws {
      expectTrue(found == backups[version], comment)
      expectEqual(folder.files[other] == nil, true)
    }
  }

  @Test(arguments: [false, true]) func aCancelledBackupGoesOn(_ isEncrypted: Bool) throws {
    let bench = try Bench(isEncrypted: isEncrypted, valueOf: 200_000)
    var kept: [Int] = []
    for count in 0... {
      bench.folder.discard(unfinished)
      let isWhole = (try? bench.run(cancelledAfter: count)) != nil
      if !isWhole { expectTrue(bench.found != nil, "cancelled after \(count) questions") }
      try kept.append(bench.run())
      try bench.expectWhole(0, "cancelled after \(count) questions")
      if isWhole { break }
    }
    RandomRuns.report(kept.count - 1, "cancelled backups")
    // The first attempt was cancelled after its first bytes, the last one after all of them.
    expectEqual(kept, kept.sorted())
    expectTrue(Set(kept).count > 2)
    expectEqual(kept.last, bench.backups[0].count)
  }

  @Test(.heavy, arguments: [false, true]) func aKilledBackupGoesOn(_ isEncrypted: Bool) throws {
    let bench = try Bench(isEncrypted: isEncrypted)
    let before = bench.folder.callCount
    try bench.run()
    let count = bench.folder.callCount - before
    RandomRuns.report(count, "killed processes")
    var kept: Set<Int> = []
    for call in 0..<count {
      bench.folder.discard(unfinished)
      bench.folder.die(afterCalls: call)
      #expect(throws: StorageError.self, "call \(call)") { try bench.run() }
      bench.folder.restart()
      try kept.insert(bench.run())
      try bench.expectWhole(0, "call \(call)")
    }
    expectTrue(kept.count > 2)
  }

  /// What a crash of the system leaves of an attempt is kept as far as it is right.
  @Test(.heavy, arguments: [false, true]) func aCrashOfTheSystemCostsNothing(
    _ isEncrypted: Bool
  ) throws {
    let bench = try Bench(isEncrypted: isEncrypted, valueOf: 30_000)
    try bench.run()
    let trace = try #require(bench.folder.files[unfinished]).trace
    var random = SeededGenerator(seed: 8)
    var kept: Set<Int> = []
    let states = try CrashStates(of: trace, initial: [], subsetLimit: 4, sampleCount: 24)
      .forEach(using: &random) { state in
        try bench.put(state.contents)
        try kept.insert(bench.run())
        try bench.expectWhole(0, Comment(rawValue: state.name))
      }
    RandomRuns.report(states, "crash states")
    expectTrue(kept.count > 1)
  }

  /// `ResumedFile` 1.
  @Test(arguments: [false, true]) func anotherVersionReplacesTheOne(_ isEncrypted: Bool) throws {
    let bench = try Bench(isEncrypted: isEncrypted, valueOf: 150_000)
    #expect(throws: StorageError.self) { try bench.run(1, cancelledAfter: 1) }
    let started = try #require(bench.found?.count)
    // The first nodes of both are the same.
    let kept = try bench.run(0)
    expectTrue(kept > 0 && kept <= started)
    try bench.expectWhole(0)
    try bench.put(bench.backups[0])
    _ = try bench.run(1)
    try bench.expectWhole(1)
    // With another key nothing is the same.
    try bench.put([UInt8](repeating: 0, count: 4096) + bench.backups[0])
    try expectEqual(bench.run(0), 0)
    try bench.expectWhole(0)
  }

  /// `ResumedFile` 1 and 2.
  @Test func damageIsWrittenOver() throws {
    let bench = try Bench(isEncrypted: false, valueOf: 60_000)
    let whole = bench.backups[0]
    var random = SeededGenerator(seed: 21)
    for round in 0..<RandomRuns.count(of: 60) {
      var bytes = whole
      let place = Int.random(in: 24..<whole.count, using: &random)
      switch round % 4 {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes = Array(bytes[..<place])
      case 2: bytes += noise(place, &random)
      default: for index in place..<min(place + 4096, bytes.count) { bytes[index] = 0 }
      }
      try bench.put(bytes)
      try bench.run()
      try bench.expectWhole(0, "round \(round)")
    }
  }

  /// The first pages, without which there is no file, or some in it, which are a value.
  /// `UnfinishedBackup` 2
  @Test(arguments: [0..<9000, 16_384..<24_576])
  func bytesThatTheDiskDoesNotHaveAreNoticed(_ range: Range<Int>) throws {
    let bench = try Bench(isEncrypted: false)
    var bytes = bench.backups[0]
    bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    try bench.put(bytes)
    let file = try #require(bench.folder.files[unfinished])
    try file.sync()
    // An earlier process failed to write its pages, which the system still has.
    file.failSync(after: 1, losing: .all)
    try unsafe Array(bench.backups[0][range]).withUnsafeBytes {
      try unsafe file.write($0, at: range.lowerBound)
    }
    #expect(throws: StorageError.self) { try file.sync() }
    #expect(throws: StorageError.self) { try bench.run() }
    expectEqual(bench.found == nil, true)
    try bench.run()
    try bench.expectWhole()
  }

  /// `StreamedCopy` 4: what is written at a time does not grow with the version.
  @Test func aCopyIsWrittenByTheBuffer() throws {
    let bench = try Bench(isEncrypted: false, valueOf: 300_000)
    let copy = try SimulatedFileSystem()
    try bench.versions[0].write(to: copy.file)
    var counts: [Int] = []
    for case .write(_, let bytes) in copy.file.trace { counts.append(bytes.count) }
    expectTrue(counts.count > 3, "\(counts)")
    #expect(counts.allSatisfy { $0 <= 1 << 20 }, "\(counts)")
  }

  @Test func aFailureLeavesNoFile() throws {
    let bench = try Bench(isEncrypted: false)
    for cancelled in [0, 1] {
      #expect(throws: StorageError.self) { try bench.run(cancelledAfter: cancelled) }
      let file = try #require(bench.folder.files[unfinished])
      file.failSync(after: 1)
      #expect(throws: StorageError.self) { try bench.run() }
      expectEqual(bench.found == nil, true)
    }
  }

  @Test func allElseGoesToTheFileBelow() throws {
    let below = try MemoryFiles.makeFile(named: target)
    let file = ResumedFile(below)
    try file.resize(to: 100)
    try expectEqual(below.byteCount(), 100)
    try file.allocate(100..<8192)
    try expectEqual(below.byteCount(), 8192)
    try below.write(UInt64(77), at: 16)
    var word: UInt64 = 0
    _ = try unsafe withUnsafeMutableBytes(of: &word) { try unsafe file.read(into: $0, at: 16) }
    expectEqual(UInt64(littleEndian: word), 77)
    // What was not written by this attempt is cut off.
    try file.sync()
    try expectEqual(below.byteCount(), 0)
  }

  // MARK: Files of the system

  private func file(in directory: TemporaryDirectory) throws -> DatabaseFile {
    let file = try DatabaseFile.open(path: directory.file("a.realm"))
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2, 3], in: write)
    _ = try write.commit(changeset: [])
    return file
  }

  private func backup(_ file: DatabaseFile, _ place: String) throws -> UnfinishedBackup {
    try UnfinishedBackup(
      to: place, else: "\(place).other", of: file.path, in: SystemFiles())
  }

  /// `UnfinishedBackup` 1.
  @Test func twoBackupsAtATimeAreTwoFiles() throws {
    let directory = try TemporaryDirectory()
    let file = try file(in: directory)
    let place = directory.file("backup.realm")
    do {
      let first = try backup(file, place)
      let second = try backup(file, place)
      expectEqual(first.path, place + ".unfinished-backup")
      expectEqual(second.path, place + ".other")
      try second.write(file.snapshot(), key: nil, WorkWatch())
      try first.write(file.snapshot(), key: nil, WorkWatch())
      // The first one gets its name while it is locked: no other goes on with that file.
      try FileManager.default.moveItem(atPath: first.path, toPath: place)
      try expectEqual(backup(file, place).path, first.path)
      try expectEqual(backup(file, place).keptByteCount, 0)
    }
    let copy = try DatabaseFile.open(path: place)
    try expectEqual(NumberTree.numbers(of: copy.snapshot()), [1, 2, 3])
  }

  @Test func whatIsNotOursStays() throws {
    let directory = try TemporaryDirectory()
    let file = try file(in: directory)
    let place = directory.file("backup.realm")
    let text = Data("something dear to somebody, and longer than a header of a file\n".utf8)
    try text.write(to: URL(fileURLWithPath: place + ".unfinished-backup"))
    try backup(file, place).write(file.snapshot(), key: nil, WorkWatch())
    try expectEqual(Data(contentsOf: URL(fileURLWithPath: place + ".unfinished-backup")), text)
    let copy = try DatabaseFile.open(path: place + ".other")
    try expectEqual(NumberTree.numbers(of: copy.snapshot()), [1, 2, 3])
    // A backup of which the next attempt would not know leaves nothing.
    try FileManager.default.removeItem(atPath: place + ".other")
    #expect(throws: StorageError.self) {
      try backup(file, place).write(
        file.snapshot(), key: nil, WorkWatch(isCancelled: { true }))
    }
    expectFalse(FileManager.default.fileExists(atPath: place + ".other"))
  }
}
