// SPDX-License-Identifier: Apache-2.0

// Sets and dictionaries where their rules are special; random edits are in the model test.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

@Suite("Sets and dictionaries")
struct SetAndDictionaryTests {
  /// A table with one column and one object.
  private func database(
    _ type: ColumnType, _ collection: CollectionKind, isNullable: Bool = false
  ) throws -> TestDatabase {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_T")
      try table.addColumn(
        named: "c", type: type, collection: collection, isNullable: isNullable,
        target: type == .link ? table.key : nil)
      _ = try table.createObject()
      try group.setSchemaVersion(1)
    }
    return database
  }

  private func edit(
    _ database: TestDatabase, _ body: (WritableTable, Column, ObjectKey) throws -> Void
  ) throws {
    try database.write { group in
      let table = try group.existing("class_T")
      try body(table, try table.schema.existing("c"), try #require(try table.table.key(at: 0)))
    }
  }

  private func value(_ database: TestDatabase) throws -> TableValue {
    let table = try database.table("class_T")
    let key = try #require(try table.key(at: 0))
    return try #require(try table.row(of: key)).value(of: try table.schema.existing("c"))
  }

  @Test("NaN stands last, once, and hides nothing")
  func nan() throws {
    let database = try database(.double, .set, isNullable: true)
    try edit(database) { table, column, key in
      let set = try table.set(column, key)
      for number: Double in [3, .nan, -1, .infinity, .nan, 2, -.infinity] {
        try set.insert(.double(number))
      }
      try set.insert(.null)
      let inserted = try set.insert(.double(3))
      expectFalse(inserted)
      let removed = try set.remove(.double(2))
      expectTrue(removed)
    }
    guard case .list(let values) = try value(database) else { return }
    let ordered: [TableValue] = [
      .null, .double(-Double.infinity), .double(-1), .double(3), .double(Double.infinity),
    ]
    expectEqual(Array(values.dropLast()), ordered)
    if case .double(let last)? = values.last { #expect(last.isNaN) }
    try edit(database) { table, column, key in
      let removed = try table.set(column, key).remove(.double(.nan))
      expectTrue(removed)
    }
    try database.read().expectReferenceAgrees()
  }

  @Test("equal numbers of different types are one element of a set of mixed values")
  func equalNumbers() throws {
    let database = try database(.mixed, .set)
    try edit(database) { table, column, key in
      let set = try table.set(column, key)
      for value: TableValue in [
        .string("a"), .double(1), .binary([97]), .int(1), .bool(true), .float(1), .null,
      ] {
        try set.insert(value)
      }
    }
    try expectEqual(
      value(database),
      .list([.null, .bool(true), .double(1), .string("a"), .binary([97])]))
    try database.read().expectReferenceAgrees()
  }

  @Test("a null decimal stands among the NaNs")
  func nullDecimal() throws {
    let database = try database(.decimal, .set, isNullable: true)
    let nan = DecimalBits(low: 0, high: 0x7C00_0000_0000_0000)
    try edit(database) { table, column, key in
      let set = try table.set(column, key)
      for value: TableValue in [.decimal(DecimalBits(integer: -5)), .null, .decimal(nan), .null] {
        try set.insert(value)
      }
    }
    try expectEqual(
      value(database), .list([.decimal(nan), .null, .decimal(DecimalBits(integer: -5))]))
    try database.read().expectReferenceAgrees()
  }

  @Test("values of another type are refused before anything changes")
  func wrongTypes() throws {
    let set = try database(.int, .set)
    try edit(set) { table, column, key in
      for value: TableValue in [.null, .string("1"), .double(1), .list([])] {
        #expect(throws: StorageError.self) { try table.set(column, key).insert(value) }
      }
      #expect(throws: StorageError.self) { _ = try table.dictionary(column, key) }
    }
    try expectEqual(value(set), .list([]))
    let map = try database(.link, .dictionary)
    try edit(map) { table, column, key in
      for value: TableValue in [.int(1), .typedLink(table.key, key), .link(ObjectKey(77))] {
        #expect(throws: StorageError.self) {
          try table.dictionary(column, key).set(value, for: "k")
        }
      }
      try table.dictionary(column, key).set(.link(key), for: "self")
    }
    let key = try #require(try map.table("class_T").key(at: 0))
    let entries = TableDictionary([.init(key: "self", value: .link(key))])
    try expectEqual(value(map), .dictionary(entries))
    try map.read().expectReferenceAgrees()
  }

  @Test(
    "overwriting and removing a mixed value frees collections inside it, and their links", .heavy)
  func nestedValues() throws {
    let database = try TestDatabase(fixture: "all-types")
    try database.write { group in
      for key in try group.tableKeys() {
        let table = try #require(try group.table(key))
        for column in table.schema.columns
        where column.collection == .dictionary && !column.hasIntegerKeys {
          for object in try keys(of: table) { try thin(table.dictionary(column, object), column) }
        }
        for column in table.schema.columns where column.collection == .set {
          for object in try keys(of: table) {
            let set = try table.set(column, object)
            while try set.view.count > 1 { try set.remove(at: try set.view.count / 2) }
          }
        }
      }
    }
    try database.read().expectReferenceAgrees()
  }

  private func keys(of table: WritableTable) throws -> [ObjectKey] {
    try (0..<(try table.objectCount())).compactMap { try table.table.key(at: $0) }
  }

  private func thin(_ map: DictionaryEditor, _ column: Column) throws {
    for (index, entry) in try map.view.entries(of: column).entries.enumerated() {
      if index % 2 == 0 || !column.isNullable {
        try map.remove(entry.key)
      } else {
        try map.set(.null, for: entry.key)
      }
    }
  }
}
