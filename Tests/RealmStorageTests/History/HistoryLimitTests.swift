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
}
