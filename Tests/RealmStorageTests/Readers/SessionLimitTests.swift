// SPDX-License-Identifier: Apache-2.0

// How long a session waits for others, and what becomes of what they leave.

import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmStorage

struct SessionLimitTests {
  /// A lock file that another library holds is given up after a while, however short it is.
  @Test(arguments: [100, 4096]) func filesOfOthersAreGivenUp(byteCount: Int) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.lock")
    let holder = try SystemFiles().open(path: path, mode: .readWriteCreating)
    var bytes = [UInt8](repeating: 0, count: byteCount)
    (bytes[0], bytes[6]) = (1, UInt8(SharedMemory.realmCoreLayoutVersion))
    try bytes.withUnsafeBytes { try holder.write($0, at: 0) }
    try expectEqual(holder.tryLock(exclusive: true), true)
    let error = #expect(throws: StorageError.self) {
      try LockFileSession.join(path: path, system: SystemFiles()) { _ throws(StorageError) in
        throw .corrupted("a session began beside another library")
      }
    }
    guard case .incompatibleLockFile(_, let reason) = error else {
      throw error ?? .corrupted("no error")
    }
    expectTrue(reason.contains("another Realm SDK"))
  }

  /// The versions of a process that is gone are not kept.
  /// `ReaderTable` 3.
  @Test func versionsOfDeadProcessesAreDropped() throws {
    let directory = try TemporaryDirectory()
    func open() throws -> SharedMemory {
      try SharedMemory(
        try SystemFiles().open(path: directory.file("a.lock"), mode: .readWriteCreating))
    }
    let (first, second) = (try open(), try open())
    try first.reserve(0..<SharedMemory.initialByteCount)
    let (table, other) = (try ReaderTable(first), try ReaderTable(second))
    _ = try table.pin(4)
    _ = try other.pin(3)
    _ = try other.pin(5)
    expectEqual(table.pinnedVersions(through: 9), [3, 4, 5, 9])
    other.giveUpSegments()
    expectEqual(table.pinnedVersions(through: 9), [4, 9])
    expectEqual(table.pinnedVersions(), [4])
  }

  /// What is settled is not synced again.
  @Test func settledFilesAreLeftAlone() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2], in: write)
    _ = try write.commit(changeset: [])
    system.file.clearTrace()
    try file.settle()
    expectEqual(system.file.trace, [])
  }

  /// A compaction is done when the file was cut, if nobody reads an older version.
  @Test(arguments: [false, true]) func aCompactionEndsWithTheCut(hasReader: Bool) throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    func commit(_ numbers: [Int64]?, compacting: Bool = false) throws -> Bool {
      let write = try file.beginWrite()
      if compacting { write.compaction = CompactionStep(byteCount: 1 << 20) }
      if let numbers { try NumberTree.replace(with: numbers, in: write) }
      _ = try write.commit(changeset: [])
      return write.compaction?.isDone ?? false
    }
    _ = try commit([1, 2, 3])
    _ = try commit((0..<40_000).map { Int64($0) << 32 })
    _ = try commit([1, 2, 3])
    var isDone = false
    for _ in 0..<20 where !isDone {
      let reader = hasReader ? try file.snapshot() : nil
      isDone = try commit(nil, compacting: true)
      withExtendedLifetime(reader) {}
    }
    expectTrue(isDone)
    if !hasReader {
      let end = try file.snapshot().space.fileEnd
      try expectEqual(file.fileByteCount(), (end + 4095) / 4096 * 4096)
    }
    try expectEqual(NumberTree.numbers(of: file.snapshot()), [1, 2, 3])
  }

  /// A value that is longer than the buffer of a copy stands where the next one begins.
  @Test(arguments: [(1 << 20) - 8, 1 << 20, (1 << 20) + 8, 3 << 20])
  func longValuesAreCopied(byteCount: Int) throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let blob = try withView(of: bytes) { (view) throws(StorageError) in
      try BlobNode.make(view, in: allocator).ref
    }
    let numbers = try IntegerNode.make([1, 2, 1 << 40], in: allocator).ref
    let tables = try IntegerNode.make([blob.slot, numbers.slot], flags: .hasRefs, in: allocator).ref
    let names = try allocator.allocate(
      NodeHeader(flags: [], layout: .multiply, widthCode: 0, count: 0), capacity: 0
    ).ref
    let target = try MemoryFiles.makeFile(named: "copy")
    try StreamedCopy.write(
      VersionRoots(tableNames: names, tables: tables), nil, in: scratch.space,
      to: CopyTarget(target, nil))
    var contents = [UInt8](repeating: 0, count: try target.byteCount())
    let count = try contents.withUnsafeMutableBytes { try target.read(into: $0, at: 0) }
    expectEqual(count, contents.count)
    let file = try SimulatedFileSystem(contents: contents).openDatabase()
    let snapshot = try file.snapshot()
    let node = try snapshot.space.node(at: snapshot.roots.tables)
    try expectEqual(BlobNode.bytes(of: node.ref(at: 0), in: snapshot.space), bytes)
    try expectEqual(snapshot.space.node(at: node.ref(at: 1)).integer(at: 2), 1 << 40)
    try expectEqual(file.check(), [])
  }

  /// A thousand findings are enough.
  @Test func findingsHaveALimit() throws {
    for (count, found) in [(999, 999), (1000, 1000), (1100, 1000)] {
      let file = try DatabaseFile.open(
        path: "findings-\(count)", options: OpenOptions(isInMemory: true))
      let write = try file.beginWrite()
      write.roots.tables = try IntegerNode.make(
        [Int64](repeating: 4, count: count), flags: .hasRefs, in: write.allocator
      ).ref
      _ = try write.commit(changeset: [])
      try expectEqual(file.check().count, found)
    }
  }

  /// A tree that is as deep as it may be, with the top array above it, has no finding.
  @Test(arguments: [(511, 0), (512, 1)]) func checkedTreesHaveADepth(count: Int, found: Int) throws
  {
    let file = try DatabaseFile.open(
      path: "checked-\(count)", options: OpenOptions(isInMemory: true))
    let write = try file.beginWrite()
    var ref = try IntegerNode.make([1], in: write.allocator).ref
    for _ in 1..<count {
      ref = try IntegerNode.make([ref.slot], flags: .hasRefs, in: write.allocator).ref
    }
    write.roots.tables = ref
    _ = try write.commit(changeset: [])
    try expectEqual(file.check().count { $0.check == 7 }, found)
  }

  /// The last segment of the table may be taken, and there is none behind it.
  /// `ReaderTable` 3.
  @Test func segmentsHaveALastOne() throws {
    let directory = try TemporaryDirectory()
    func open() throws -> SharedMemory {
      try SharedMemory(
        try SystemFiles().open(path: directory.file("a.lock"), mode: .readWriteCreating))
    }
    let (memory, others) = (try open(), try open())
    try memory.reserve(0..<SharedMemory.initialByteCount)
    let last = SharedMemory.maximumSlotCount / ReaderTable.segmentSlotCount - 1
    var lockedCount = 0
    /// Takes a segment where others have so many, of which the table knows `known`.
    func take(others count: Int, known: Int) throws -> Int {
      while lockedCount < count {
        let lock = SharedMemory.segmentLockOffset + lockedCount
        try expectEqual(others.file.lockByte(at: lock, waits: false), true)
        lockedCount += 1
      }
      memory.slotCount.pointee.store(
        UInt64(known * ReaderTable.segmentSlotCount), ordering: .relaxed)
      let table = try ReaderTable(memory)
      table.giveUpSegments()
      let slots = Int(memory.slotCount.pointee.load(ordering: .relaxed))
      return slots / ReaderTable.segmentSlotCount - 1
    }
    try expectEqual(take(others: last - 1, known: last - 1), last - 1)
    try expectEqual(take(others: last, known: last - 1), last)
    try expectEqual(take(others: last, known: last), last)
    #expect(throws: StorageError.self) { try take(others: last + 1, known: last) }
    #expect(throws: StorageError.self) { try take(others: last + 1, known: last + 1) }
  }
}
