// SPDX-License-Identifier: Apache-2.0

// Tables and columns that come and go, with data in them.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct SchemaChangeTests {
  /// Objects, links to them and what savepoints go back to stay as they are.
  @Test func aTableGetsAnotherName() throws {
    let database = try TestDatabase()
    let key = try database.write { group in
      let owner = try group.createTable(named: "class_Owner")
      let dog = try group.createTable(named: "class_Dog")
      let name = try dog.addColumn(named: "name", type: .string, isIndexed: true)
      let friend = try owner.addColumn(named: "dog", type: .link, target: dog.key)
      let rex = try dog.createObject().key
      try dog.set(.string("Rex"), name, rex)
      try owner.set(.link(rex), friend, owner.createObject().key)
      return dog.key
    }
    try database.write { group in
      #expect(throws: StorageError.self) { try group.renameTable(key, to: "class_Owner") }
      #expect(throws: StorageError.self) { try group.renameTable(key, to: "") }
      // In a savepoint that is undone, with the table read before it, and in it for the first time.
      for isRead in [false, true] {
        if isRead { _ = try group.table(key) }
        try group.beginSavepoint()
        try group.renameTable(key, to: "class_Cat")
        #expect(try group.table(named: "class_Dog") == nil)
        _ = try #require(try group.table(named: "class_Cat")).createObject()
        group.rollBackSavepoint()
        let dog = try #require(try group.table(named: "class_Dog"))
        expectEqual(dog.schema.name, "class_Dog")
        try expectEqual(dog.currentTable.objectCount(), 1)
      }
      try group.renameTable(key, to: "class_Puppy")
      let puppy = try #require(try group.table(key))
      try puppy.set(.string("Fido"), puppy.schema.columns[0], puppy.createObject().key)
    }
    try database.reopen()
    let puppies = try database.table("class_Puppy")
    expectEqual(puppies.key, key)
    try expectEqual(puppies.objectCount(), 2)
    let owner = try database.table("class_Owner")
    let first = try #require(try owner.key(at: 0))
    let row = try #require(try owner.row(of: first))
    let rex = try #require(try puppies.key(at: 0))
    try expectEqual(row.value(of: owner.schema.columns[0]), TableValue.link(rex))
    // The name is free again.
    try database.write { _ = try $0.createTable(named: "class_Dog").createObject() }
  }

  @Test func columnsOfEveryTypeComeAndGo() throws {
    let database = try TestDatabase()
    let keys = try database.write { group in
      let table = try group.createTable(named: "class_A")
      let id = try table.addColumn(named: "id", type: .int)
      var keys: [ObjectKey] = []
      for index in 0..<700 {
        let (key, _) = try table.createObject()
        try table.set(.int(Int64(index)), id, key)
        keys.append(key)
      }
      return keys
    }
    let types = ColumnType.scalars + [.mixed]
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      for type in types {
        try table.addColumn(named: "\(type)", type: type)
        try table.addColumn(named: "\(type)?", type: type, isNullable: true)
        for kind in [CollectionKind.list, .set, .dictionary] {
          try table.addColumn(named: "\(kind) of \(type)", type: type, collection: kind)
        }
      }
    }
    try check(database, keys, columnCount: 1 + types.count * 5)
    // Every other column goes; later columns take the free places under new keys.
    let old = try database.table("class_A").schema.columns
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      for (index, column) in old.enumerated() where index % 2 == 1 {
        try table.columns.remove(column.key)
      }
      let new = try table.addColumn(named: "new", type: .string)
      expectEqual(new.leafIndex, old[1].leafIndex)
      #expect(!old.contains { $0.key == new.key })
      try table.set(.string("value"), new, keys[600])
    }
    try check(database, keys, columnCount: old.count / 2 + 1)
    let row = try #require(try database.table("class_A").row(of: keys[600]))
    let new = try #require(try database.table("class_A").schema.column(named: "new"))
    try expectEqual(row.string(new.leafIndex), "value")
  }

  private func check(
    _ database: TestDatabase, _ keys: [ObjectKey], columnCount: Int,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    try database.reopen()
    let table = try database.table("class_A")
    #expect(table.schema.columns.count == columnCount, sourceLocation: location)
    for (index, key) in keys.enumerated() {
      let row = try #require(try table.row(of: key), sourceLocation: location)
      for column in table.schema.columns where column.name != "new" {
        let value = try row.value(of: column)
        switch column.collection {
        case .list, .set: #expect(value == .list([]), sourceLocation: location)
        case .dictionary:
          #expect(value == .dictionary(TableDictionary([])), sourceLocation: location)
        case .none:
          let zero: TableValue = column.isNullable ? .null : column.type.zero
          let expected = column.name == "id" ? .int(Int64(index)) : zero
          #expect(value == expected, sourceLocation: location)
        }
      }
    }
  }

  @Test func aLinkColumnGoesWithItsBacklinkColumn() throws {
    let database = try TestDatabase()
    try database.write { group in
      let a = try group.createTable(named: "class_A")
      let b = try group.createTable(named: "class_B")
      let toB = try a.addColumn(named: "b", type: .link, target: b.key)
      let toA = try a.addColumn(named: "a", type: .link, collection: .list, target: a.key)
      let any = try a.addColumn(named: "any", type: .mixed)
      let object = try a.createObject().key
      let target = try b.createObject().key
      try a.setLink(target, toB, object)
      try a.list(toA, object).append(.link(object))
      try a.setMixed(.typedLink(b.key, target), any, object)
      expectEqual(b.schema.backlinkColumns.count, 2)
      expectEqual(a.schema.backlinkColumns.count, 1)
    }
    try database.write { group in
      let a = try #require(try group.table(named: "class_A"))
      let b = try #require(try group.table(named: "class_B"))
      #expect(throws: StorageError.self) { try group.removeTable(b.key) }
      for name in ["b", "a", "any"] {
        try a.columns.remove(try #require(a.schema.column(named: name)).key)
      }
      expectTrue(b.schema.backlinkColumns.isEmpty)
      expectTrue(a.schema.backlinkColumns.isEmpty)
      try group.removeTable(b.key)
    }
    #expect(try database.read().table(named: "class_B") == nil)
  }

  @Test func aRemovedTableNeverAnswersToItsKey() throws {
    let database = try TestDatabase()
    let first = try database.write { group in
      let table = try group.createTable(named: "class_A")
      let id = try table.addColumn(named: "id", type: .int)
      try table.setPrimaryKey(id.key)
      for value in 0..<300 { _ = try table.createObject(primaryKey: Int64(value)) }
      _ = try group.createTable(named: "class_B")
      return table.key
    }
    try database.write { try $0.removeTable(first) }
    let second = try database.write { group in
      #expect(try group.table(first) == nil)
      return try group.createTable(named: "class_C").key
    }
    expectEqual(second.index, first.index)
    expectTrue(second != first)
    try database.reopen()
    let group = try database.read()
    #expect(try group.table(first) == nil)
    try expectEqual(group.table(second)?.schema.name, "class_C")
    try expectEqual(group.tableKeys().count, 2)
  }

  @Test func thePrimaryKeyMovesToAnotherColumn() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let id = try table.addColumn(named: "id", type: .int)
      let name = try table.addColumn(named: "name", type: .string)
      let same = try table.addColumn(named: "same", type: .string)
      try table.setPrimaryKey(id.key)
      for value in 0..<400 {
        let (key, _) = try table.createObject(primaryKey: Int64(value))
        try table.set(.string("name \(value)"), name, key)
      }
      #expect(throws: StorageError.self) { try table.setPrimaryKey(same.key) }
      try table.setPrimaryKey(name.key)
    }
    var table = try database.table("class_A")
    expectEqual(table.schema.primaryKey?.name, "name")
    expectEqual(table.schema.column(named: "id")?.hasIndex, false)
    expectEqual(table.schema.column(named: "same")?.hasIndex, false)
    try expectEqual(table.find(primaryKey: .string("name 399")), ObjectKey(399))
    try expectEqual(table.find(primaryKey: .string("name 400")), nil)
    try database.write { group in
      try #require(try group.table(named: "class_A")).setPrimaryKey(nil)
    }
    table = try database.table("class_A")
    expectEqual(table.schema.primaryKey, nil)
    #expect(table.schema.columns.allSatisfy { !$0.hasIndex })
  }

  /// `SearchIndex` 1.
  @Test func indexesFollowTheirColumns() throws {
    var random = SeededGenerator(seed: 31)
    let database = try TestDatabase()
    let types = ColumnType.scalars.filter(\.canBeIndexed) + [.mixed]
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      for type in types {
        try table.addColumn(named: "\(type)", type: type, isNullable: true, isIndexed: true)
      }
      // An index that is built over data.
      try table.addColumn(named: "late", type: .int, isNullable: true)
    }
    for round in 0..<4 {
      try database.write { group in
        let table = try #require(try group.table(named: "class_A"))
        if round == 2 {
          try table.columns.setIndexed(true, try #require(table.schema.column(named: "late")).key)
        }
        for _ in 0..<120 { try edit(table, &random) }
      }
      try compareIndexes(try database.table("class_A"))
      try database.reopen()
    }
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      for column in table.schema.columns { try table.columns.setIndexed(false, column.key) }
    }
    #expect(try database.table("class_A").schema.columns.allSatisfy { !$0.hasIndex })
    try database.write { try #require(try $0.table(named: "class_A")).deleteAll() }
  }

  private func edit(_ table: WritableTable, _ random: inout SeededGenerator) throws {
    let count = try table.objectCount()
    var key = try table.table.key(at: Int.random(in: 0..<max(count, 1), using: &random))
    if count > 40, Int.random(in: 0..<5, using: &random) == 0 {
      try table.delete(try #require(key))
      return
    }
    if key == nil || Bool.random(using: &random) { key = try table.createObject().key }
    for column in table.schema.columns where Bool.random(using: &random) {
      let isNull = Int.random(in: 0..<3, using: &random) == 0
      var value: TableValue = isNull ? .null : column.type.random(using: &random)
      // Few values, so that many objects share one.
      if column.type == .int, case .int(let number) = value { value = .int(number & 7) }
      try table.set(value, column, try #require(key))
    }
  }

  private func compareIndexes(_ table: Table) throws {
    for column in table.schema.columns {
      guard let index = try table.index(of: column) else {
        expectEqual(column.name, "late")
        continue
      }
      var expected: [TableValue: [ObjectKey]] = [:]
      for cluster in try table.clusters.all() {
        for position in 0..<cluster.count {
          let value = try cluster.row(at: position).value(of: column)
          expected[value, default: []].append(cluster.key(at: position))
        }
      }
      for (value, keys) in expected {
        // Mixed values of different types may be equal to the index: 1 and 1.0.
        let found = try MixedCodec.encode(value) { (element) throws(StorageError) in
          try index.findAll(element)
        }
        expectTrue(Set(found).isSuperset(of: keys))
        if column.type != .mixed { expectEqual(found, keys) }
      }
    }
  }

  @Test func namesAreChecked() throws {
    let database = try TestDatabase()
    try database.write { group in
      let long = String(repeating: "é", count: 32)
      #expect(throws: StorageError.self) { try group.createTable(named: long) }
      #expect(throws: StorageError.self) { try group.createTable(named: "") }
      let table = try group.createTable(named: String(repeating: "n", count: 63))
      #expect(throws: StorageError.self) { try group.createTable(named: table.schema.name) }
      #expect(throws: StorageError.self) { try table.addColumn(named: long, type: .int) }
      let a = try table.addColumn(named: String(repeating: "c", count: 63), type: .int)
      #expect(throws: StorageError.self) { try table.addColumn(named: a.name, type: .int) }
      #expect(throws: StorageError.self) { try table.addColumn(named: "link", type: .link) }
      try table.columns.rename(a.key, to: "short")
      expectEqual(table.schema.column(named: "short")?.key, a.key)
    }
  }

  @Test func theSchemaVersionIsKept() throws {
    let database = try TestDatabase()
    try expectEqual(database.read().schemaVersion(), nil)
    try database.write { try $0.setSchemaVersion(0) }
    try expectEqual(database.read().schemaVersion(), 0)
    try database.write { group in
      try group.setSchemaVersion(7)
      try expectEqual(group.schemaVersion(), 7)
    }
    try database.reopen()
    try expectEqual(database.read().schemaVersion(), 7)
    try expectEqual(database.table("metadata").objectCount(), 1)
  }

  @Test func anUnchangedSchemaIsShared() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      try table.addColumn(named: "id", type: .int)
    }
    let first = try database.table("class_A").schema
    try database.write { _ = try #require(try $0.table(named: "class_A")).createObject() }
    #expect(try database.table("class_A").schema === first)
    try database.write { group in
      try #require(try group.table(named: "class_A")).addColumn(named: "b", type: .int)
    }
    #expect(try database.table("class_A").schema !== first)
  }

  /// Columns that are added at once are those that are added one by one, links included.
  @Test func columnsAreAddedAtOnce() throws {
    func schemas(atOnce: Bool) throws -> [TableSchema] {
      let database = try TestDatabase()
      try database.write { group in
        let target = try group.createTable(named: "class_B")
        let table = try group.createTable(named: "class_A")
        let first = try table.addColumn(named: "first", type: .int)
        for _ in 0..<700 { _ = try table.createObject() }
        try table.columns.remove(first.key)
        let new = [
          NewColumn(named: "text", type: .string, isNullable: true),
          NewColumn(named: "other", type: .link, target: target.key),
          NewColumn(named: "own", type: .link, collection: .list, target: table.key),
          NewColumn(named: "others", type: .link, collection: .set, target: target.key),
          NewColumn(named: "any", type: .mixed, collection: .dictionary),
          NewColumn(named: "count", type: .int, index: .general),
          NewColumn(named: "words", type: .string, isNullable: true, index: .fullText),
        ]
        if atOnce {
          try table.columns.add(new)
        } else {
          for one in new { try table.columns.add([one]) }
        }
        let twice = NewColumn(named: "twice", type: .int)
        #expect(throws: StorageError.self) { try table.columns.add([twice, twice]) }
        let list = NewColumn(named: "list", type: .int, collection: .list, index: .general)
        #expect(throws: StorageError.self) { try table.columns.add([twice, list]) }
        expectEqual(table.schema.column(named: "twice"), nil)
        let (key, _) = try table.createObject()
        let text = try #require(table.schema.column(named: "text"))
        try table.set(.string("here"), text, key)
        try expectEqual(table.row(of: key)?.value(of: text), .string("here"))
        // The index has the objects that were there, and the new one.
        let count = try #require(table.schema.column(named: "count"))
        expectTrue(count.hasIndex)
        expectTrue(count.isIndexed)
        try table.set(.int(7), count, key)
        try expectEqual(table.table.index(of: count)?.count(of: .int(0)), 700)
        try expectEqual(table.table.index(of: count)?.count(of: .int(7)), 1)
      }
      #expect(try DatabaseCheck.run(database.file.snapshot()).isEmpty)
      return [try database.table("class_A").schema, try database.table("class_B").schema]
    }
    let (together, single) = (try schemas(atOnce: true), try schemas(atOnce: false))
    for (left, right) in zip(together, single) {
      expectEqual(left.columns.map(\.name), right.columns.map(\.name))
      expectEqual(left.columns.map(\.type), right.columns.map(\.type))
      expectEqual(left.columns.map(\.targetTable), right.columns.map(\.targetTable))
      expectEqual(left.columns.map(\.indexKind), right.columns.map(\.indexKind))
      expectEqual(left.columns.map(\.hasIndex), right.columns.map(\.hasIndex))
      expectEqual(left.backlinkColumns.count, right.backlinkColumns.count)
    }
    expectEqual(together[0].backlinkColumns.count, 1)
    expectEqual(together[1].backlinkColumns.count, 2)
  }
}
