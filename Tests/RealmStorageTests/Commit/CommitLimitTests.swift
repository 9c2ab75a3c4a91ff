// SPDX-License-Identifier: Apache-2.0

// Single commits of which one thing is as large, or as old, as it may be.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct CommitLimitTests {
  private func commit(_ numbers: [Int64], to file: DatabaseFile) throws {
    let write = try file.beginWrite()
    try NumberTree.replace(with: numbers, in: write)
    _ = try write.commit(changeset: [])
  }

  /// The header of a copy names its version in the usual form on the disk before it selects that.
  @Test func aCopyIsNamedBeforeItIsSelected() throws {
    let copy = try SimulatedFileSystem()
    do {
      let file = try SimulatedFileSystem().openDatabase()
      try commit([1, 2, 3], to: file)
      try file.snapshot().write(to: copy.file)
    }
    let system = try SimulatedFileSystem(contents: copy.file.contents())
    let file = try system.openDatabase()
    system.file.clearTrace()
    try commit([4], to: file)
    let trace = system.file.trace
    let named = try #require(
      trace.firstIndex {
        if case .write(0, let bytes) = $0 { bytes.count == FileHeader.byteCount } else { false }
      })
    let selected = try #require(
      trace.firstIndex {
        if case .write(FileHeader.flagsOffset, let bytes) = $0 { bytes == [1] } else { false }
      })
    expectTrue(named < selected)
    expectTrue(trace[named..<selected].contains(.sync))
    expectEqual(trace[selected + 1], .sync)
  }

  /// What a process knows of the writers of free blocks is not lost with a commit that fails.
  @Test func aFailedCommitLosesNoKnowledge() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    var numbers = (0..<3000).map { Int64($0) << 32 }
    func change() throws {
      for index in numbers.indices { numbers[index] &+= 1 }
      try commit(numbers, to: file)
    }
    try change()
    let held = try file.snapshot()
    func knownCount() -> Int {
      file.writer.freeSpace?.blocks.count {
        $0.tag > held.version && !$0.isHeld && $0.writtenVersion > held.version
      } ?? 0
    }
    for _ in 0..<4 { try change() }
    expectTrue(knownCount() > 0)
    system.file.limitDisk(to: 0)
    #expect(throws: StorageError.self) {
      try commit((0..<200_000).map { Int64($0) << 32 }, to: file)
    }
    system.file.limitDisk(to: .max)
    expectTrue(file.writer.freeSpace == nil)
    try change()
    expectTrue(knownCount() > 0)
    withExtendedLifetime(held) {}
  }

  /// Knowledge of earlier free space is kept for older readers alone.
  @Test func knowledgeIsKeptForReaders() throws {
    let file = try DatabaseFile.open(path: "knowledge", options: OpenOptions(isInMemory: true))
    try commit([1], to: file)
    try commit([2], to: file)
    expectTrue(file.writer.earlierFreeSpace == nil)
    let held = try file.snapshot()
    for number in 3...4 as ClosedRange<Int64> { try commit([number], to: file) }
    expectEqual(file.writer.earlierFreeSpace?.version, held.version + 1)
    withExtendedLifetime(held) {}
  }

  /// The free lists have room for versions of more than 15 bits from the first of them on.
  @Test func versionsOfSixteenBitsHaveRoom() throws {
    let system = try SimulatedFileSystem()
    var numbers = (0..<60_000).map { Int64($0) << 32 }
    let place: Int
    do {
      let file = try system.openDatabase()
      try commit(numbers, to: file)
      let snapshot = try file.snapshot()
      let top = try snapshot.space.node(at: snapshot.topRef)
      expectEqual(top.header.width, 32)
      place = snapshot.topRef.offset + NodeHeader.byteCount + 6 * 4
    }
    var contents = try system.file.contents()
    let version = 1 << 15 - 2
    let slot = UInt32(Tagged.slot(version))
    for byte in 0..<4 { contents[place + byte] = UInt8(truncatingIfNeeded: slot >> (8 * byte)) }
    let file = try SimulatedFileSystem(contents: contents).openDatabase()
    expectEqual(file.newestVersion, UInt64(version))
    for step in 1...3 {
      // Every other leaf, so that what is freed is many blocks.
      for leaf in stride(from: step % 2, to: 600, by: 2) { numbers[100 * leaf] &+= 1 }
      try commit(numbers, to: file)
    }
    expectEqual(file.newestVersion, 1 << 15 + 1)
    try expectEqual(NumberTree.numbers(of: file.snapshot()), numbers)
    try expectEqual(file.check(), [])
  }

  /// A compaction writes what is made of a draft of the file.
  @Test(arguments: [false, true]) func aDraftIsCompacted(hasDraft: Bool) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("a.realm")
    do { try commit([1, 2, 3], to: try DatabaseFile.open(path: path)) }
    let isDone =
      hasDraft
      ? try DatabaseFile.compact(
        path: path,
        preparing: { (draft) throws(StorageError) in
          try NumberTree.replace(with: [7, 8], in: draft)
        }) : try DatabaseFile.compact(path: path)
    expectTrue(isDone)
    let file = try DatabaseFile.open(path: path)
    try expectEqual(NumberTree.numbers(of: file.snapshot()), hasDraft ? [7, 8] : [1, 2, 3])
  }

  /// A commit that fails before its first sync, and whose version no reader has seen, leaves a file
  /// that takes writes; one that fails at a sync does not.
  @Test func aCommitThatFailsEarlyCanBeRepeated() throws {
    var call = 0
    var isDone = false
    var counts = (repeated: 0, refused: 0)
    while !isDone {
      call += 1
      let system = try SimulatedFileSystem()
      let file = try system.openDatabase()
      try commit([1], to: file)
      system.file.clearTrace()
      system.file.fail(call: call, .error(EIO))
      do {
        try commit([2], to: file)
        isDone = true
      } catch StorageError.system(let operation, _, _) {
        let isEarly = operation != "Syncing" && !system.file.trace.contains(.sync)
        if isEarly {
          try commit([3], to: file)
          try expectEqual(NumberTree.numbers(of: file.snapshot()), [3], "call \(call)")
          counts.repeated += 1
        } else {
          #expect(throws: StorageError.self, "call \(call)") { try commit([3], to: file) }
          counts.refused += 1
        }
      }
    }
    expectTrue(counts.repeated > 2)
    expectTrue(counts.refused > 1)
  }
}
