// SPDX-License-Identifier: Apache-2.0

// System calls that fail, at every one of them.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct FaultTests {
  /// Opens, commits three times, and says which versions were acknowledged before the first error.
  private func workload(_ system: SimulatedFileSystem) -> (done: Int, error: StorageError?) {
    var done = 0
    do throws(StorageError) {
      let file = try system.openDatabase()
      for step in 1...3 {
        let write = try file.beginWrite()
        try NumberTree.replace(with: Self.numbers(after: step), in: write)
        _ = try write.commit(changeset: [1])
        done = step
      }
      return (done, nil)
    } catch {
      return (done, error)
    }
  }

  private static func numbers(after step: Int) -> [Int64] {
    (0..<Int64(step * 700)).map { $0 &* 77_777_777 }
  }

  /// How many calls of a run without faults can fail.
  private func callCount() throws -> Int {
    let system = try SimulatedFileSystem()
    expectEqual(workload(system).done, 3)
    return system.file.callCount
  }

  /// `FileSystem` 1.
  @Test(arguments: [FileFault.error(EINTR), .short])
  func interruptionsAndShortTransfersAreOvercome(_ fault: FileFault) throws {
    for call in 1...(try callCount()) {
      let system = try SimulatedFileSystem()
      system.file.fail(call: call, fault)
      let (done, error) = workload(system)
      // Measuring, mapping and growing are not interruptible calls of the system.
      if case .system(let operation, _, EINTR) = error {
        expectTrue(["Measuring", "Mapping", "Growing", "Resizing"].contains(operation))
        continue
      }
      expectEqual(error, nil)
      expectEqual(done, 3, "call \(call)")
      try expectWhole(system, [3], "call \(call)")
    }
  }

  @Test(arguments: [
    FileFault.error(EIO), .error(ENOSPC), .errorForever(EIO), .errorForever(ENOSPC),
  ])
  func failuresAreReportedAndHarmless(_ fault: FileFault) throws {
    let count = try callCount()
    RandomRuns.report(count, "failing calls")
    for call in 1...count {
      let system = try SimulatedFileSystem()
      system.file.fail(call: call, fault)
      let (done, error) = workload(system)
      if fault == .error(ENOSPC), error == nil {
        // A disk that is full for a short time has room for less.
        expectEqual(done, 3, "call \(call)")
        system.file.fail(call: 0, nil)
        try expectWhole(system, [3], "call \(call)")
        continue
      }
      guard case .system(let operation, let path, let code) = error else {
        Issue.record("call \(call): \(error.map { "\($0)" } ?? "no error")")
        continue
      }
      expectEqual(path, system.file.path)
      expectTrue(code == EIO || code == ENOSPC)
      system.file.fail(call: 0, nil)
      // A commit whose second sync failed, or what comes after it, may be there or not.
      let isOpen = ["Syncing", "Writing", "Measuring"].contains(operation)
      let possible = isOpen ? [done, done + 1] : [done]
      try expectWhole(system, possible, "call \(call) (\(operation))")
    }
  }

  /// The file holds the state after one of the steps, and takes a commit.
  private func expectWhole(
    _ system: SimulatedFileSystem, _ steps: [Int], _ comment: String
  ) throws {
    let file = try system.openDatabase()
    let snapshot = try file.snapshot()
    let step = Int(snapshot.version) - 1
    expectTrue(steps.contains(step), "\(comment)")
    try expectEqual(NumberTree.numbers(of: snapshot), Self.numbers(after: step), "\(comment)")
    try expectEqual(file.check(), [], "\(comment)")
    let write = try file.beginWrite()
    try NumberTree.replace(with: [1, 2], in: write)
    let next = try write.commit(changeset: [])
    try expectEqual(NumberTree.numbers(of: next), [1, 2], "\(comment)")
    try expectEqual(file.check(), [], "\(comment)")
  }

  /// `DatabaseFile` 5, `FileSystem` 2, `ARCHITECTURE` 7.
  @Test(arguments: [1, 2]) func afterAFailedSyncTheSessionTakesNoMoreWrites(_ sync: Int) throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let first = try file.beginWrite()
    try NumberTree.replace(with: [1], in: first)
    let old = try first.commit(changeset: [])
    let write = try file.beginWrite()
    try NumberTree.replace(with: [2], in: write)
    system.file.failSync(after: sync)
    #expect(throws: StorageError.system(operation: "Syncing", path: system.file.path, code: EIO)) {
      try write.commit(changeset: [])
    }
    #expect(throws: StorageError.poisoned(path: system.file.path)) { try file.beginWrite() }
    try expectEqual(NumberTree.numbers(of: old), [1])
    try expectEqual(NumberTree.numbers(of: try file.snapshot()), [1])
    expectEqual(file.newestVersion, old.version)
  }

  /// `NodeWriter` 2.
  @Test func aFullDiskIsNotTheEnd() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    let large = (0..<100_000).map { Int64($0) << 30 }
    var write = try file.beginWrite()
    try NumberTree.replace(with: large, in: write)
    system.file.limitDisk(to: try file.fileByteCount())
    #expect(throws: StorageError.system(operation: "Growing", path: system.file.path, code: ENOSPC))
    { try write.commit(changeset: []) }
    expectTrue(write.isEnded)
    system.file.limitDisk(to: .max)
    write = try file.beginWrite()
    try NumberTree.replace(with: large, in: write)
    let snapshot = try write.commit(changeset: [])
    try expectEqual(NumberTree.numbers(of: snapshot), large)
    try expectEqual(file.check(), [])
  }

  /// On a disk with little room left, commits ask for less than they would like to have, then use
  /// small holes, and only then fail.
  @Test func aFileGrowsByWhatTheDiskHas() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    var numbers = (0..<15_000).map { Int64($0) << 30 }
    func commit() throws {
      let write = try file.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      _ = try write.commit(changeset: [])
    }
    try commit()
    let limit = try file.fileByteCount() + (24 << 10)
    system.file.limitDisk(to: limit)
    // Every second leaf becomes small, one in each commit: holes of 800 bytes.
    for leaf in stride(from: 0, to: 150, by: 2) {
      for index in leaf * 100..<leaf * 100 + 100 { numbers[index] = 0 }
      try commit()
    }
    // More than any run of free bytes can hold goes to the holes.
    for leaf in stride(from: 0, to: 120, by: 2) {
      for index in leaf * 100..<leaf * 100 + 100 { numbers[index] = Int64(index) << 16 }
    }
    try commit()
    try expectEqual(NumberTree.numbers(of: try file.snapshot()), numbers)
    #expect(try file.fileByteCount() <= limit)
    // More than there is.
    numbers += numbers
    #expect(throws: StorageError.system(operation: "Growing", path: system.file.path, code: ENOSPC))
    { try commit() }
    try expectEqual(file.check(), [])
  }
}
