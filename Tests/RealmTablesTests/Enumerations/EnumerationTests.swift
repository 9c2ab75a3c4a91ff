// SPDX-License-Identifier: Apache-2.0

// Columns that are enumerated, how long they stay so, and what they save.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct EnumerationTests {
  /// A table of two columns: `status` repeats itself, `name` does not.
  private func make(_ count: Int, choosing: Bool = false) throws -> TestDatabase {
    let database = try TestDatabase()
    try database.write { group in
      group.choosesEnumerations = choosing
      let table = try group.createTable(named: "class_Item")
      try table.addColumn(named: "status", type: .string, isNullable: true)
      try table.addColumn(named: "name", type: .string)
      try fill(table, 0..<count)
    }
    return database
  }

  private func fill(_ table: WritableTable, _ range: Range<Int>) throws {
    let columns = table.schema.columns
    for number in range {
      let (key, _) = try table.createObject()
      try table.set(text: Self.status(number), columns[0], key)
      try table.set(text: "name \(number)", columns[1], key)
    }
  }

  private static func status(_ number: Int) -> String? {
    number % 11 == 0 ? nil : "status \(number % 7)"
  }

  private func expectFilled(_ table: Table, _ count: Int) throws {
    try expectEqual(table.objectCount(), count)
    for number in 0..<count {
      let key = ObjectKey.scattered(UInt64(number))
      let row = try #require(try table.row(of: key))
      try expectEqual(row.string(table.schema.columns[0].leafIndex), Self.status(number))
      try expectEqual(row.string(table.schema.columns[1].leafIndex), "name \(number)")
    }
  }

  private func enumerated(_ table: Table) -> [String] {
    table.schema.enumeratedColumns.map(\.name)
  }

  // MARK: Choosing

  @Test(.heavy) func aTableThatGrowsMuchChooses() throws {
    let database = try make(3000, choosing: true)
    let table = try database.table("class_Item")
    expectEqual(enumerated(table), ["status"])
    try expectFilled(table, 3000)
    try database.read().expectReferenceAgrees()
  }

  @Test(.heavy) func aTableThatGrowsLittleIsLeftAlone() throws {
    expectEqual(enumerated(try make(2000, choosing: true).table("class_Item")), [])
    expectEqual(enumerated(try make(3000).table("class_Item")), [])
    let database = try make(6000)
    try database.write { group in
      group.choosesEnumerations = true
      try fill(group.existing("class_Item"), 6000..<9000)
    }
    expectEqual(enumerated(try database.table("class_Item")), [])
  }

  @Test func internalTablesAndPrimaryKeysAreNotChosen() throws {
    let database = try TestDatabase()
    try database.write { group in
      group.choosesEnumerations = true
      group.enumerationLimits.growthCount = 20
      group.enumerationLimits.savedByteCountMin = 1
      for name in ["metadata", "class_Keyed", "class_Plain"] {
        let table = try group.createTable(named: name)
        let column = try table.addColumn(named: "text", type: .string)
        if name == "class_Keyed" { try table.setPrimaryKey(column.key) }
        for number in 0..<60 {
          let text = TableValue.string("text \(name == "class_Keyed" ? number : 1)")
          if name == "class_Keyed" {
            _ = try table.createObject(primaryKey: text)
          } else {
            let (key, _) = try table.createObject()
            try table.set(text, column, key)
          }
        }
      }
    }
    for (name, columns) in [("metadata", []), ("class_Keyed", []), ("class_Plain", ["text"])] {
      expectEqual(enumerated(try database.table(name)), columns)
    }
  }

  // MARK: Compaction

  private func compact(_ database: TestDatabase, at copy: String) throws -> TestDatabase.Copy {
    try FileManager.default.copyItem(atPath: database.path, toPath: copy)
    let wasDone = try DatabaseFile.compact(path: copy) { (draft) throws(StorageError) in
      try EnumeratedCopy.prepare(draft)
    }
    expectTrue(wasDone)
    return try TestDatabase.Copy(copy)
  }

  @Test(.heavy) func compactionChoosesWhatSaves() throws {
    let database = try make(4000)
    let plain = database.directory.file("plain.realm")
    try FileManager.default.copyItem(atPath: database.path, toPath: plain)
    #expect(try DatabaseFile.compact(path: plain))
    let copy = try compact(database, at: database.directory.file("copy.realm"))
    expectEqual(enumerated(try copy.table("class_Item")), ["status"])
    try expectFilled(copy.table("class_Item"), 4000)
    try copy.group.expectReferenceAgrees()
    // Sixteen bytes for each object become half a byte.
    let saved = try TestDatabase.Copy(plain).byteCount - copy.byteCount
    expectTrue(saved > 4000 * 14 && saved < 4000 * 16, "\(saved)")
  }

  @Test(.heavy) func compactionDropsValuesThatNoObjectHas() throws {
    let database = try make(3000, choosing: true)
    try database.write { group in
      let table = try group.existing("class_Item")
      let column = table.schema.columns[0]
      for number in 0..<3000 where Self.status(number) == "status 3" {
        try table.set(text: "status 4", column, .scattered(UInt64(number)))
      }
      try table.set(text: "new", column, .scattered(0))
      try table.set(text: "status 1", column, .scattered(0))
    }
    func values(_ table: Table) throws -> [String?] {
      let leaf = try table.enumerations.leaf(
        ofColumnAt: table.schema.columns[0].leafIndex, in: table.space)
      return try (0..<StringLeaf.count(leaf, in: table.space)).map {
        try StringLeaf.value(at: $0, of: leaf, in: table.space)?.string
      }
    }
    let before = try values(database.table("class_Item"))
    expectTrue(before.contains("new") && before.contains("status 3"))
    let copy = try compact(database, at: database.directory.file("copy.realm"))
    let after = try values(copy.table("class_Item"))
    expectEqual(after, before.filter { $0 != "new" && $0 != "status 3" })
    try copy.group.expectReferenceAgrees()
  }

  /// `EnumeratedCopy` 1.
  @Test(.heavy) func damageIsNotHiddenByCompaction() throws {
    let database = try make(4000)
    let table = try database.table("class_Item")
    let first = try #require(try table.clusterCursor().first)
    let offset = try first.leafRef(table.schema.columns[0].leafIndex).offset
    let path = database.directory.file("damaged.realm")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: database.path))
    // A letter of a text, which nothing but the checksum tells.
    bytes[offset + 8 + 17] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    let file = try DatabaseFile.open(path: path)
    try expectFalse(DatabaseCheck.run(file.snapshot()).isEmpty)
    _ = consume file
    let wasDone = try DatabaseFile.compact(path: path) { (draft) throws(StorageError) in
      try EnumeratedCopy.prepare(draft)
    }
    expectTrue(wasDone)
    let copy = try TestDatabase.Copy(path)
    expectEqual(enumerated(try copy.table("class_Item")), [])
    try expectFalse(DatabaseCheck.run(copy.group.snapshot).isEmpty)
  }

  // MARK: Writing

  @Test(.heavy) func theColumnStaysAndGetsNewValues() throws {
    let database = try make(3000, choosing: true)
    let old = try database.read()
    try database.write { group in
      let table = try group.existing("class_Item")
      let column = table.schema.columns[0]
      for (number, text) in [(5, "one"), (6, "two"), (7, "one"), (8, nil), (9, "")] {
        try table.set(text: text, column, .scattered(UInt64(number)))
      }
      try table.delete(.scattered(10))
      try fill(table, 3000..<3100)
    }
    let table = try database.table("class_Item")
    expectEqual(enumerated(table), ["status"])
    let leafIndex = table.schema.columns[0].leafIndex
    for (number, text) in [(5, "one"), (6, "two"), (7, "one"), (8, nil), (9, "")] {
      let row = try table.row(of: .scattered(UInt64(number)))
      try expectEqual(row?.string(leafIndex), text)
    }
    let leaf = try table.enumerations.leaf(ofColumnAt: leafIndex, in: table.space)
    try expectEqual(StringLeaf.count(leaf, in: table.space), 8 + 3)
    try expectFilled(#require(try old.table(named: "class_Item")), 3000)
    try database.read().expectReferenceAgrees()
  }

  @Test(.heavy) func aColumnOfTooManyValuesBecomesPlain() throws {
    let database = try make(3000, choosing: true)
    try database.write { group in
      let table = try group.existing("class_Item")
      for number in 0..<380 {
        let column = table.schema.columns[0]
        try table.set(text: "own \(number)", column, .scattered(UInt64(number)))
        // 3,000 objects may have 375 values, of which there were eight.
        expectEqual(table.schema.columns[0].isEnumerated, number < 375 - 8)
      }
    }
    let table = try database.table("class_Item")
    for number in 0..<3000 {
      let row = try table.row(of: .scattered(UInt64(number)))
      try expectEqual(
        row?.string(table.schema.columns[0].leafIndex),
        number < 380 ? "own \(number)" : Self.status(number))
    }
  }

  @Test func aPositionOutOfRangeIsRefused() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_Item")
      let column = try table.addColumn(named: "status", type: .string)
      for _ in 0..<10 { _ = try table.createObject() }
      try table.enumerations.enumerate(column)
    }
    let group = try WriteGroup(database.file.beginWrite())
    defer { group.rollback() }
    let table = try group.existing("class_Item")
    let column = table.schema.columns[0]
    for position in [1, 1 << 40, -1] as [Int64] {
      try table.assign(IntegerLeaf.self, position, column, .scattered(3), false)
      let row = try #require(try table.row(of: .scattered(3)))
      #expect(throws: StorageError.self) { try row.string(column.leafIndex) }
      #expect(throws: StorageError.self) { try table.enumerations.dropUnusedValues(of: column) }
      #expect(throws: StorageError.self) { try table.enumerations.expand(column.leafIndex) }
    }
  }

  /// The header of a leaf of empty texts claims sixteen million of them.
  @Test func anEnumerationLargerThanTheFileIsRefused() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_Item")
      let column = try table.addColumn(named: "status", type: .string)
      for _ in 0..<10 { _ = try table.createObject() }
      try table.enumerations.enumerate(column)
    }
    let whole = try database.table("class_Item")
    let leafIndex = whole.schema.columns[0].leafIndex
    let values = try whole.enumerations.leaf(ofColumnAt: leafIndex, in: whole.space)
    var damaged = try Data(contentsOf: URL(filePath: database.path))
    // Cells without bytes, FF FF FF of them.
    for (index, byte) in [0x08, 0xFF, 0xFF, 0xFF].enumerated() as EnumeratedSequence<[UInt8]> {
      damaged[values.offset + 4 + index] = byte
    }
    let path = database.directory.file("damaged.realm")
    try damaged.write(to: URL(filePath: path))
    let group = try WriteGroup(DatabaseFile.open(path: path).beginWrite())
    defer { group.rollback() }
    let table = try group.existing("class_Item")
    #expect(throws: StorageError.self) {
      try table.enumerations.dropUnusedValues(of: table.schema.columns[0])
    }
  }
}

extension ClusterCursor {
  fileprivate var first: Cluster? {
    get throws {
      var cursor = self
      return try cursor.next()
    }
  }
}

extension TestDatabase {
  /// Another file, for reading.
  struct Copy {
    let group: TableGroup
    let byteCount: Int

    init(_ path: String) throws {
      let file = try DatabaseFile.open(path: path)
      group = try TableGroup(try file.snapshot())
      byteCount = try file.fileByteCount()
    }

    func table(_ name: String) throws -> Table { try #require(try group.table(named: name)) }
  }
}
