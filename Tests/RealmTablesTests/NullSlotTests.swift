// SPDX-License-Identifier: Apache-2.0

// Slots that other implementations leave null or 0 where we write a value.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Null slots")
struct NullSlotTests {
  /// Names for which the cells of the leaf of names have each width from 2 to 64.
  static let names =
    ["a", "ab", "class", "class_Stays", "class_" + String(repeating: "n", count: 20)]
    + ["class_" + String(repeating: "n", count: 57)]

  /// Which tables of five are removed.
  static let removals = [[0], [4], [2], [0, 1, 4], [1, 2, 3], [0, 1, 2, 3, 4]]

  /// `cases/01`: Realm Core stores null for the name of a table that it removed.
  @Test("names of removed tables are null in files of Realm Core", arguments: names)
  func removedTables(name: String) throws {
    for removed in Self.removals {
      let database = try TestDatabase()
      let all = (0..<5).map { $0 == 2 ? name : "\($0)" }
      try database.write { group in
        for name in all {
          let table = try group.createTable(named: name)
          _ = try table.columns.add([NewColumn(named: "value", type: .int)])
          _ = try table.createObject(primaryKey: nil)
        }
      }
      try database.write { group in
        for index in removed {
          let table = try #require(try group.table(named: all[index]))
          try group.removeTable(table.key)
        }
      }
      let changed = try database.withTableNames { node in
        let width = node.header.width
        for index in removed where width > 0 {
          let cell = UnsafeMutableRawPointer(mutating: node.payload) + index * width
          memset(cell, 0, width - 1)
          cell.storeBytes(of: UInt8(width), toByteOffset: width - 1, as: UInt8.self)
        }
        return width > 0
      }
      expectEqual(changed, removed.count < 5, "of no table there is no name")
      try database.reopen()
      let kept = all.indices.filter { !removed.contains($0) }.map { all[$0] }
      try expectEqual(database.read().tableKeys().count, kept.count)
      for name in kept { try expectEqual(database.table(name).objectCount(), 1) }
      #expect(try DatabaseCheck.run(database.file.snapshot()).isEmpty)
      try database.read().expectReferenceAgrees()
      // The places are taken again.
      try database.write { group in _ = try group.createTable(named: "class_Later") }
      #expect(try database.read().table(named: "class_Later") != nil)
      for name in kept { try expectEqual(database.table(name).objectCount(), 1) }
      try database.read().expectReferenceAgrees()
    }
  }

  /// Realm Core fills the top array with plain zeros when it starts to shrink a file without
  /// history.
  @Test(
    "numbers of the top array may be 0 without a tag", arguments: [[7], [9], [10], [7, 9, 10]])
  func topArray(zeros: [Int]) throws {
    let database = try TestDatabase()
    try database.write { group in
      _ = try group.createTable(named: "class_A").columns.add([
        NewColumn(named: "value", type: .int)
      ])
    }
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database.path)))
    func place(_ slot: Int) -> Int {
      let top = (0..<8).reduce(0) { $0 | Int(bytes[Int(bytes[23] & 1) * 8 + $1]) << (8 * $1) }
      let width = (1 << Int(bytes[top + 4] & 7)) >> 4
      return top + 8 + slot * width
    }
    let width = place(1) - place(0)
    for slot in zeros {
      bytes.replaceSubrange(
        place(slot)..<place(slot) + width, with: Array(repeating: 0, count: width))
    }
    let path = database.directory.file("zeros.realm")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let file = try DatabaseFile.open(path: path)
    let group = try TableGroup(file.snapshot())
    #expect(try group.table(named: "class_A") != nil)
    let writing = try WriteGroup(file.beginWrite())
    _ = try writing.createTable(named: "class_B")
    let snapshot = try writing.commit()
    #expect(try DatabaseCheck.run(snapshot).isEmpty)
  }
}

extension TestDatabase {
  /// Lets `body` change the newest version's leaf of table names in a new version.
  fileprivate func withTableNames<R>(_ body: (Node) throws -> R) throws -> R {
    let transaction = try file.beginWrite()
    let allocator = transaction.allocator
    let old = try allocator.node(at: transaction.roots.tableNames)
    let header = NodeHeader(
      flags: [], layout: .multiply, widthCode: old.header.widthCode, count: old.count)
    let new = try allocator.allocate(header, capacity: old.bytes.count)
    UnsafeMutableRawPointer(mutating: new.payload).copyMemory(
      from: old.payload, byteCount: old.bytes.count)
    let result = try body(allocator.node(at: new.ref))
    try allocator.free(transaction.roots.tableNames)
    transaction.roots.tableNames = new.ref
    _ = try transaction.commit(changeset: [])
    return result
  }
}
