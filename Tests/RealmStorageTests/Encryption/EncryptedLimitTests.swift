// SPDX-License-Identifier: Apache-2.0

// The pages of encrypted files at the ends of files, of batches and of groups.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct EncryptedLimitTests {
  private static let page = EncryptedLayout.pageByteCount
  private let key: EncryptionKey

  init() throws { key = try TestKeys.vector() }

  private func commit(_ numbers: [Int64], to file: DatabaseFile) throws {
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers, in: write)
    _ = try write.commit(changeset: [])
  }

  private func bytes(ofPage page: Int) -> Range<Int> {
    let place = EncryptedLayout.position(ofPage: page)
    return place..<place + Self.page
  }

  /// A file whose pages were all written, and where their image is.
  private func file(ofPages count: Int) throws -> (SimulatedFileSystem, AddressReservation) {
    let image = try AddressReservation(
      path: "pages", fileCapacity: (count + 16) * Self.page, slabCapacity: 0,
      minimumFileCapacity: (count + 16) * Self.page)
    let system = try SimulatedFileSystem()
    let file = try EncryptedFile(system.file, key: key)
    try file.resize(to: count * Self.page)
    try file.map(0..<count * Self.page, at: image.base, isWritable: true)
    for page in 0..<count { try file.write(UInt8(1), at: page * Self.page) }
    try file.sync()
    return (system, image)
  }

  // MARK: Pages that are not authentic

  /// Only a page with used bytes is missed: none that is in one free block, or behind the end.
  @Test func unusedPagesMayBeAnything() throws {
    let scratch = try ScratchSpace()
    let page = Self.page
    var top = TopArray()
    top.roots = VersionRoots(tableNames: Ref(24), tables: Ref(32))
    top.logicalSize = 6 * page
    let blocks = [page..<2 * page, 2 * page + 8..<4 * page, 4 * page + 8..<5 * page - 8]
    top.freePositions = try IntegerNode.make(
      blocks.map { Int64($0.lowerBound) }, in: scratch.allocator
    ).ref
    top.freeLengths = try IntegerNode.make(
      blocks.map { Int64($0.count) }, in: scratch.allocator
    ).ref
    let topRef = try IntegerNode.make(top.slots, flags: .hasRefs, in: scratch.allocator).ref
    let file = try EncryptedFile(try MemoryFiles.makeFile(named: "pages"), key: key)
    for (page, isUsed) in [(1, false), (2, true), (3, false), (4, true), (5, true), (6, false)] {
      if isUsed {
        #expect(throws: StorageError.self, "page \(page)") {
          try file.require([page], unusedAt: topRef, in: scratch.space)
        }
      } else {
        try file.require([page], unusedAt: topRef, in: scratch.space)
      }
    }
    withExtendedLifetime(scratch) {}
  }

  /// A page that is what it was before its last write is authentic, and named in a warning.
  @Test func pagesFromBeforeTheirLastWriteAreNamed() throws {
    let system = try SimulatedFileSystem()
    var states: [[UInt8]] = []
    do {
      let file = try system.openDatabase(key: key)
      for round in 1...4 as ClosedRange<Int64> {
        try commit((0..<1500).map { $0 &* round << 20 }, to: file)
        states.append(try system.file.contents())
      }
    }
    let last = states[3]
    var count = 0
    for page in 1..<EncryptedLayout.imageByteCount(file: states[2].count) / Self.page {
      var contents = last
      contents.replaceSubrange(bytes(ofPage: page), with: states[2][bytes(ofPage: page)])
      let file = try? SimulatedFileSystem(contents: contents).openDatabase(key: key)
      guard contents != last, let findings = try? file?.check() else { continue }
      let warning = "page \(page) of the encrypted file is what it was before its last write"
      expectTrue(
        findings.contains { $0.severity == .warning && $0.description.contains(warning) },
        "\(findings)")
      count += 1
    }
    expectTrue(count > 0)
  }

  /// A page that fails is reported, whichever thread reads it and however many there are.
  @Test(arguments: [3, 600]) func pagesThatFailAreReported(count: Int) throws {
    let (system, image) = try file(ofPages: count)
    let failing = [1, count - 1]
    var contents = try system.file.contents()
    for page in failing { contents[bytes(ofPage: page).lowerBound + 7] ^= 4 }
    let damaged = try SimulatedFileSystem(contents: contents)
    let loader = PageLoader(
      file: damaged.file, cipher: try PageCipher(key, path: "failing"), base: image.base)
    let known = try loader.loadAll(count)
    expectEqual(known.failed, failing)
    expectEqual(known.marks.indices.filter { known.marks[$0] == .zero }, failing)
    withExtendedLifetime(image) {}
  }

  // MARK: Writing

  /// `EncryptedFile` 3: the header is written last, also by a commit of several batches.
  @Test func theHeaderIsInTheLastBatch() throws {
    let count = 8193
    let (system, reservation) = try file(ofPages: count)
    var places: [Int] = []
    for case .write(let offset, _) in system.file.trace { places.append(offset) }
    expectTrue(places.contains(EncryptedLayout.position(ofPage: count - 1)))
    expectEqual(places.last, EncryptedLayout.position(ofPage: 0))
    expectEqual(places.count { $0 == EncryptedLayout.position(ofPage: 0) }, 1)
    withExtendedLifetime(reservation) {}
  }

  /// The header alone needs no sync between other pages and itself.
  @Test(arguments: [([0], 2), ([1], 2), ([0, 1], 3), ([1, 2], 2)] as [([Int], Int)])
  func pagesAreSyncedBeforeTheHeader(pages: [Int], syncCount: Int) throws {
    let reservation = try AddressReservation(
      path: "syncs", fileCapacity: 16 * Self.page, slabCapacity: 0,
      minimumFileCapacity: 16 * Self.page)
    let system = try SimulatedFileSystem()
    let file = try EncryptedFile(system.file, key: key)
    try file.resize(to: 4 * Self.page)
    try file.map(0..<4 * Self.page, at: reservation.base, isWritable: true)
    for page in pages { try file.write(UInt8(1), at: page * Self.page) }
    try file.sync()
    expectEqual(system.file.trace.count { $0 == .sync }, syncCount)
    withExtendedLifetime(reservation) {}
  }

  /// After a failed sync the entries are made durable first, then the pages, then the header.
  @Test func whatIsRewrittenIsSyncedInOrder() throws {
    let old = try OlderFile(1500, commitCount: 5, key: key)
    let system = try SimulatedFileSystem(contents: old.contents)
    let file = try system.openDatabase(key: key)
    system.file.clearTrace()
    try file.encrypted?.rewrite()
    let second = EncryptedLayout.position(ofPage: 1)
    let steps = system.file.trace.map { event in
      if case .write(let offset, _) = event { "\(offset)" } else { "sync" }
    }
    expectEqual(steps, ["0", "sync", "\(second)", "sync", "4096", "sync"])
    try expectEqual(system.file.contents(), old.contents)
  }

  /// A file is new if it has an entry and no page yet, whatever length a crash has left it.
  @Test(arguments: [(4096, true), (8184, true), (8192, true), (8200, false), (12_288, false)])
  func filesWithoutAPageAreNew(byteCount: Int, isNew: Bool) throws {
    let blank = try SimulatedFileSystem()
    _ = try blank.openDatabase(key: key)
    var contents = Array(try blank.file.contents().prefix(4096))
    contents += [UInt8](repeating: 0, count: byteCount - 4096)
    let system = try SimulatedFileSystem(contents: contents)
    if isNew {
      try expectEqual(system.openDatabase(key: key).newestVersion, 1)
    } else {
      #expect(throws: StorageError.self) { try system.openDatabase(key: key) }
    }
  }

  /// A transaction that cannot be written leaves the pages of those before it in its group.
  /// `PendingCommit` 3.
  @Test func aFailedTransactionLeavesThePagesOfItsGroup() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase(key: key)
    func begin(_ write: WriteTransaction, _ count: Int64) throws -> PendingCommit {
      try NumberTree.replace(with: (0..<count).map { $0 << 40 }, in: write)
      return try write.writeVersion(changeset: [])
    }
    let pending = try begin(file.beginWrite(), 3)
    system.file.limitDisk(to: 0)
    #expect(throws: StorageError.self) { try begin(pending.begin(), 100_000) }
    system.file.limitDisk(to: .max)
    try pending.makeDurable()
    let other = try SimulatedFileSystem(contents: system.file.contents())
    try expectEqual(
      NumberTree.numbers(of: other.openDatabase(key: key).snapshot()), [0, 1 << 40, 2 << 40])
    // Alone, it leaves nothing.
    system.file.limitDisk(to: 0)
    #expect(throws: StorageError.self) { try begin(file.beginWrite(), 100_000) }
    system.file.limitDisk(to: .max)
    expectTrue(file.encrypted?.state.withLock { $0.dirty.isEmpty } ?? false)
    try commit([7], to: file)
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [7])
  }
}
