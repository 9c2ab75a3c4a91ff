// SPDX-License-Identifier: Apache-2.0

// The keys of objects and of columns, as the format gives them out.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct ObjectKeyTests {
  @Test func keysWithoutPrimaryKeyAreScattered() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      var keys: [Int64] = []
      for _ in 0..<600 { keys.append(try table.createObject().key.rawValue) }
      expectEqual(keys[..<256], ArraySlice(0..<256))
      expectEqual(keys[256], 0x10000)
      expectEqual(keys[599], 0x20000 + 599 - 512)
    }
  }

  @Test func keysWithPrimaryKeyCountUp() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let id = try table.addColumn(named: "id", type: .string)
      try table.setPrimaryKey(id.key)
      for index in 0..<300 {
        let key = try table.createObject(primaryKey: .string("\(index)")).key
        expectEqual(key, ObjectKey(Int64(index)))
      }
      try table.delete(ObjectKey(299))
      // The sequence goes on: a key is never given twice.
      try expectEqual(table.createObject(primaryKey: .string("x")).key, ObjectKey(300))
      #expect(throws: StorageError.self) { try table.createObject() }
    }
    try database.reopen()
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      try expectEqual(table.createObject(primaryKey: .string("y")).key, ObjectKey(301))
      let (key, _, isNew) = try table.findOrCreate(primaryKey: .string("x"))
      expectEqual(key, ObjectKey(300))
      expectFalse(isNew)
      #expect(try table.findOrCreate(primaryKey: .string("z")).isNew)
    }
  }

  @Test func keysInUseAreSkipped() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      for _ in 0..<5 { _ = try table.createObject() }
      // A sequence number that fell behind, as files from older formats have it.
      table.top.objectSequence = 1
      try expectEqual(table.createObject().key, ObjectKey(5))
    }
  }

  @Test(.heavy, arguments: [ColumnType.int, .string, .objectId, .uuid], [false, true])
  func primaryKeysAreFound(_ type: ColumnType, isNullable: Bool) throws {
    var random = SeededGenerator(seed: 41)
    let database = try TestDatabase()
    var expected: [TableValue: ObjectKey] = [:]
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let id = try table.addColumn(named: "id", type: type, isNullable: isNullable)
      try table.setPrimaryKey(id.key)
      if isNullable { expected[.null] = try table.createObject(primaryKey: .null).key }
      while expected.count < 1500 {
        let value = type.random(using: &random)
        if expected[value] == nil {
          try expectEqual(table.table.find(primaryKey: value), nil)
          expected[value] = try table.createObject(primaryKey: value).key
        }
      }
      for (value, key) in expected where key.rawValue % 3 == 0 {
        try table.delete(key)
        expected[value] = nil
      }
    }
    try database.reopen()
    let table = try database.table("class_A")
    for (value, key) in expected { try expectEqual(table.find(primaryKey: value), key) }
    try expectEqual(table.objectCount(), expected.count)
  }

  @Test func columnKeysAreThoseOfTheWorkedExample() throws {
    let database = try TestDatabase()
    try database.write { group in
      let person = try group.createTable(named: "class_Person")
      let name = try person.addColumn(named: "name", type: .string)
      let dog = try group.createTable(named: "class_Dog")
      let id = try dog.addColumn(named: "id", type: .int)
      let optionalName = try dog.addColumn(named: "name", type: .string, isNullable: true)
      let age = try dog.addColumn(named: "age", type: .int, isNullable: true)
      let owner = try dog.addColumn(named: "owner", type: .link, target: person.key)
      let tags = try dog.addColumn(named: "tags", type: .int, collection: .list)
      expectEqual(name.key.rawValue, 0x20000)
      expectEqual(id.key.rawValue, 0x4000_0000)
      expectEqual(optionalName.key.rawValue, 0x4402_0001)
      expectEqual(age.key.rawValue, 0x4400_0002)
      expectEqual(owner.key.rawValue, 0x440C_0003)
      expectEqual(tags.key.rawValue, 0x4800_0004)
      expectEqual(owner.oppositeColumn?.rawValue, 0xE0001)
    }
  }

  @Test func scatterLeavesBitsFree() {
    expectEqual(ObjectKey.scattered(0).rawValue, 0)
    expectEqual(ObjectKey.scattered(255).rawValue, 255)
    expectEqual(ObjectKey.scattered(256).rawValue, 0x10000)
    expectEqual(ObjectKey.scattered(0x1234_5678).rawValue, 0x1234_5600 << 8 | 0x78)
  }
}
