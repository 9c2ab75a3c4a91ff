// SPDX-License-Identifier: Apache-2.0

// How many changesets are kept, and which are found.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct HistoryLimitTests {
  private func open(_ name: String) throws -> DatabaseFile {
    try DatabaseFile.open(path: "history-\(name)", options: OpenOptions(isInMemory: true))
  }

  @discardableResult
  private func commit(_ file: DatabaseFile, _ changeset: [UInt8]) throws -> Snapshot {
    try file.beginWrite().commit(changeset: changeset)
  }

  /// A file that keeps a number of changesets has up to an eighth more, and then that number again.
  @Test(arguments: [1, 8, 16, 20]) func changesetsAreDroppedInLots(limit: Int) throws {
    let file = try open("lots-\(limit)")
    file.keepHistory(ofCommits: limit)
    var count = 0
    for step in 0..<80 {
      let snapshot = try commit(file, [UInt8(step)])
      count = (count > limit + limit / 8 ? limit : count) + 1
      let known = try file.knownChangesets(through: snapshot)
      expectEqual(known.count, count, "step \(step)")
      expectEqual(known, (step + 1 - count...step).map { [UInt8($0)] })
    }
  }

  @Test func changesetsAreFoundByTheirVersion() throws {
    let file = try open("versions")
    file.keepHistory(ofCommits: 100)
    let first = file.newestVersion
    for step in 1...5 { try commit(file, [UInt8](repeating: UInt8(step), count: step)) }
    let newest = try file.snapshot()
    func changesets(_ range: Range<Int>) -> [[UInt8]] {
      range.map { [UInt8](repeating: UInt8($0), count: $0) }
    }
    for step in 1...5 {
      let version = first + UInt64(step)
      try expectEqual(
        file.changeset(making: version, through: newest), changesets(step..<step + 1)[0])
    }
    for version in [first, first + 6] {
      try expectEqual(file.changeset(making: version, through: newest), nil)
    }
    // Up to so many bytes: 4 and 5 are 9.
    for (after, limit, found) in [
      (3, 9, changesets(4..<6)), (3, 8, nil), (5, 0, []), (4, 5, changesets(5..<6)), (4, 4, nil),
      (0, 15, changesets(1..<6)), (0, 14, nil), (6, 100, nil),
    ] as [(Int, Int, [[UInt8]]?)] {
      try expectEqual(
        file.changesets(after: first + UInt64(after), through: newest, byteLimit: limit), found,
        "after \(after), \(limit) bytes")
    }
    try expectEqual(
      file.changesets(after: first - 1, through: newest, byteLimit: 100), nil)
    for after in 0...5 {
      try expectEqual(
        file.changesets(after: first + UInt64(after), through: newest), changesets(after + 1..<6))
    }
  }

  /// The identifier of a file may be the smallest.
  @Test func identifiersAreNotNegative() throws {
    let file = try DatabaseFile.open(
      path: "identifiers", options: OpenOptions(isInMemory: true, history: .syncClient))
    let write = try file.beginWrite()
    for (identifier, salt) in [(0, 0), (5, 0), (0, 7), (9, 9)] as [(Int, Int64)] {
      try write.setFileIdentifier(identifier, salt: salt)
      try expectEqual(write.fileIdentifier, identifier)
    }
    for (identifier, salt) in [(-1, 0), (0, -1)] as [(Int, Int64)] {
      #expect(throws: StorageError.self) { try write.setFileIdentifier(identifier, salt: salt) }
    }
    // There is nothing yet that could be dropped.
    try write.trimSyncHistory(through: 0)
    write.rollback()
  }

  // MARK: Synchronised files

  /// Owns nothing: the tests keep the nodes of their histories.
  private final class Owner: Sendable {}

  /// The history of a synchronised file that has some empty entries, in a file of 24 bytes.
  private func history(_ scratch: ScratchSpace, entries: Int) throws -> (SyncHistory, root: Ref) {
    var history = SyncHistory(version: 1, in: scratch.space, of: Owner())
    for number in 0..<entries {
      try history.append(SyncEntry(), byteCount: 0, scratch.allocator)
      expectEqual(history.count, number + 1)
      expectEqual(history.version, UInt64(number + 2))
    }
    return (history, try history.write(replacing: .null, scratch.allocator))
  }

  private func read(
    _ root: Ref, at version: UInt64, _ scratch: ScratchSpace
  ) throws -> SyncHistory {
    try SyncHistory(
      at: root, schemaVersion: SyncHistory.schemaVersions.upperBound, version: version,
      in: scratch.space, of: Owner())
  }

  /// `SyncHistory` 1: the first version has no entry.
  @Test func entriesAreOfLaterVersions() throws {
    let scratch = try ScratchSpace()
    let (_, root) = try history(scratch, entries: 3)
    try expectEqual(read(root, at: 4, scratch).base, 1)
    try expectEqual(read(root, at: 9, scratch).base, 6)
    for version in [0, 1, 3] as [UInt64] {
      #expect(throws: StorageError.self) { try read(root, at: version, scratch) }
    }
    withExtendedLifetime(scratch) {}
  }

  /// A file has room for so many entries: a thousand, and ten for each of its bytes.
  @Test(arguments: [(1240, true), (1241, false)]) func entriesFitTheirFile(
    count: Int, fits: Bool
  ) throws {
    let scratch = try ScratchSpace()
    expectEqual(scratch.space.fileEnd, 24)
    let (history, root) = try history(scratch, entries: count)
    if fits {
      try expectEqual(read(root, at: history.version, scratch).count, count)
    } else {
      #expect(throws: StorageError.self) { try read(root, at: history.version, scratch) }
    }
    withExtendedLifetime(scratch) {}
  }

  /// Each part of an entry is replaced if it alone differs.
  @Test func partsOfEntriesAreReplaced() throws {
    let scratch = try ScratchSpace()
    var (history, _) = try history(scratch, entries: 2)
    var entry = SyncEntry()
    let changes: [(inout SyncEntry) -> Void] = [
      { $0.originFile = 3 }, { $0.originTimestamp = 5 }, { $0.remoteVersion = 7 },
      { $0.changeset = [1, 2] }, { $0.reciprocal = [4] }, { $0.originFile = 4 }, { _ in },
    ]
    for change in changes {
      change(&entry)
      try history.replace(at: 2, with: entry, sizeChange: 0, scratch.allocator)
      try expectEqual(history.entry(at: 2), entry)
      try expectEqual(history.entry(at: 3), SyncEntry())
    }
    withExtendedLifetime(scratch) {}
  }

  /// The log of the history's form begins with the first commit, which alone is in it.
  @Test func theLogBeginsWithTheFirstCommit() throws {
    let file = try DatabaseFile.open(
      path: "log", options: OpenOptions(isInMemory: true, history: .syncClient))
    var logs: [Int64] = []
    for _ in 0..<3 {
      let snapshot = try file.beginWrite().commit(changeset: [])
      let history = try #require(try snapshot.syncHistory())
      logs.append(history.schemaLog)
    }
    expectTrue(logs[0] != 0)
    expectEqual(logs, [Int64](repeating: logs[0], count: 3))
  }
}
