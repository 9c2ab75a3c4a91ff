// SPDX-License-Identifier: Apache-2.0

// Objects of a damaged file whose embedded objects have more than one owner: showing them ends.

#if Tools
import RealmQuery
import RealmStorage
import RealmTables
import RealmTestSupport
import Testing

@testable import RealmTools

struct SharedPartTests {
  @Test(arguments: SharedParts.Shape.allCases)
  func objectsAsJSONEnd(_ shape: SharedParts.Shape) throws {
    let file = try DatabaseFile.open(
      path: "/shared-json.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let (table, key) = try SharedParts.make(shape, in: group)
    let row = try #require(try table.row(of: key))
    let (classes, column) = (try StoredSchema(group), table.schema.columns[0])
    let value = try row.value(of: column)
    let walks: [() throws -> Void] = [
      { _ = try ObjectJSON(classes).members(of: row, table.schema) },
      { _ = try ObjectJSON(classes).json(value, column) },
      { _ = try ObjectJSON(classes).element(value, column) },
      { _ = try CellText(classes).text(value, column) },
      { _ = try QueryOutput(table.schema, in: classes).object(of: key) },
    ]
    for walk in walks {
      #expect(throws: StorageError.corrupted("embedded objects do not end")) { try walk() }
    }
  }

  /// The elements of shared objects count as well.
  @Test func objectsWithSharedElementsEnd() throws {
    let file = try DatabaseFile.open(
      path: "/shared-json-lists.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let (table, key) = try SharedParts.makeWithLists(in: group)
    let row = try #require(try table.row(of: key))
    let classes = try StoredSchema(group)
    #expect(throws: StorageError.corrupted("embedded objects do not end")) {
      try ObjectJSON(classes).members(of: row, table.schema)
    }
  }

  /// All objects of an export share one count: each of many could come to many otherwise.
  @Test func manyObjectsWithTheSamePartsEnd() throws {
    let file = try DatabaseFile.open(
      path: "/shared-many.realm", options: OpenOptions(isInMemory: true))
    let group = try WriteGroup(file.beginWrite())
    defer { group.rollback() }
    let parts = try group.createTable(named: "class_SharedPart", kind: .embedded)
    let owners = try group.createTable(named: "class_SharedOwner")
    let column = try owners.addColumn(
      named: "parts", type: .link, collection: .list, target: parts.key)
    var keys: [ObjectKey] = []
    for _ in 0..<100 { keys.append(try parts.createObject().key) }
    let owner = try owners.createObject().key
    let list = try owners.list(column, owner)
    for index in 0..<10_000 { try list.insert(.link(keys[index % 100]), at: index) }
    let json = ObjectJSON(try StoredSchema(group))
    let row = try #require(try owners.row(of: owner))
    var count = 0
    #expect(throws: StorageError.corrupted("embedded objects do not end")) {
      while count < 1_000 {
        _ = try json.members(of: row, owners.schema)
        count += 1
      }
    }
    #expect(count > 0)
  }
}
#endif
