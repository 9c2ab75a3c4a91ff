// SPDX-License-Identifier: Apache-2.0

// The keys of objects and of columns, as the format gives them out.

import RealmStorage
import RealmTestSupport
import TestTraits
import Testing

@testable import RealmTables

struct ObjectKeyTests {
  @Test func keysWithoutPrimaryKeyAreScattered() throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      var keys: [Int64] = []
      for _ in 0..<600 { keys.append(try table.createObject().key.rawValue) }
      #expect(keys[..<256] == ArraySlice(0..<256))
      #expect(keys[256] == 0x10000)
      #expect(keys[599] == 0x20000 + 599 - 512)
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
        #expect(key == ObjectKey(Int64(index)))
      }
      try table.delete(ObjectKey(299))
      // The sequence goes on: a key is never given twice.
      #expect(try table.createObject(primaryKey: .string("x")).key == ObjectKey(300))
      #expect(throws: StorageError.self) { try table.createObject() }
    }
    try database.reopen()
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      #expect(try table.createObject(primaryKey: .string("y")).key == ObjectKey(301))
      let (key, _, isNew) = try table.findOrCreate(primaryKey: .string("x"))
      #expect(key == ObjectKey(300) && !isNew)
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
      #expect(try table.createObject().key == ObjectKey(5))
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
          #expect(try table.table.find(primaryKey: value) == nil)
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
    for (value, key) in expected { #expect(try table.find(primaryKey: value) == key) }
    #expect(try table.objectCount() == expected.count)
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
      #expect(name.key.rawValue == 0x20000)
      #expect(id.key.rawValue == 0x4000_0000)
      #expect(optionalName.key.rawValue == 0x4402_0001)
      #expect(age.key.rawValue == 0x4400_0002)
      #expect(owner.key.rawValue == 0x440C_0003)
      #expect(tags.key.rawValue == 0x4800_0004)
      #expect(owner.oppositeColumn?.rawValue == 0xE0001)
    }
  }

  @Test func scatterLeavesBitsFree() {
    #expect(ObjectKey.scattered(0).rawValue == 0)
    #expect(ObjectKey.scattered(255).rawValue == 255)
    #expect(ObjectKey.scattered(256).rawValue == 0x10000)
    #expect(ObjectKey.scattered(0x1234_5678).rawValue == 0x1234_5600 << 8 | 0x78)
  }
}
