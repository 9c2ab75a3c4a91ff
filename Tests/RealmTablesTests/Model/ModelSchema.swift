// SPDX-License-Identifier: Apache-2.0

// The tables of the property test.

import RealmStorage

@testable import RealmTables

/// A table as the model sees it.
struct ModelTable: Sendable {
  struct Column: Sendable {
    let name: String
    let type: ColumnType
    var collection = CollectionKind.none
    var isNullable = false
    var isIndexed = false
    var target: String?
  }

  let name: String
  var kind = TableKind.topLevel
  var primaryKey: String?
  let columns: [Column]

  func column(_ name: String) -> Column? { columns.first { $0.name == name } }

  /// Links to each other, embedded objects, and every type there is.
  static let all: [ModelTable] = [
    ModelTable(
      name: "class_Person", primaryKey: "id",
      columns: [
        Column(name: "id", type: .int),
        Column(name: "name", type: .string, isIndexed: true),
        Column(name: "age", type: .int, isNullable: true),
        Column(name: "score", type: .double),
        Column(name: "born", type: .timestamp, isNullable: true, isIndexed: true),
        Column(name: "friend", type: .link, target: "class_Person"),
        Column(name: "dog", type: .link, target: "class_Dog"),
        Column(name: "home", type: .link, target: "class_Address"),
        Column(name: "friends", type: .link, collection: .list, target: "class_Person"),
        Column(name: "dogs", type: .link, collection: .list, target: "class_Dog"),
        Column(name: "others", type: .link, collection: .list, target: "class_Address"),
        Column(name: "numbers", type: .int, collection: .list),
        Column(name: "nicknames", type: .string, collection: .list, isNullable: true),
      ]),
    ModelTable(
      name: "class_Dog", primaryKey: "key",
      columns: [
        Column(name: "key", type: .objectId, isNullable: true),
        Column(name: "name", type: .string, isNullable: true),
        Column(name: "weight", type: .float, isNullable: true),
        Column(name: "isGood", type: .bool, isIndexed: true),
        Column(name: "picture", type: .binary, isNullable: true),
        Column(name: "owner", type: .link, target: "class_Person"),
        Column(name: "price", type: .decimal),
        Column(name: "dates", type: .timestamp, collection: .list),
      ]),
    ModelTable(
      name: "class_Tag", primaryKey: "name",
      columns: [
        Column(name: "name", type: .string),
        Column(name: "count", type: .int, isIndexed: true),
        Column(name: "anything", type: .mixed, isNullable: true),
        Column(name: "anyIndexed", type: .mixed, isNullable: true, isIndexed: true),
        Column(name: "anyList", type: .mixed, collection: .list, isNullable: true),
        Column(name: "chip", type: .uuid, isNullable: true, isIndexed: true),
        Column(name: "notes", type: .link, collection: .list, target: "class_Note"),
        Column(name: "doubles", type: .double, collection: .list, isNullable: true),
      ]),
    ModelTable(
      name: "class_Note",
      columns: [
        Column(name: "text", type: .string),
        Column(name: "rank", type: .int, isNullable: true, isIndexed: true),
        Column(name: "isOpen", type: .bool, isNullable: true),
        Column(name: "amount", type: .decimal, isNullable: true),
        Column(name: "tag", type: .link, target: "class_Tag"),
        Column(name: "blobs", type: .binary, collection: .list),
      ]),
    ModelTable(
      name: "class_Bag",
      columns: [
        Column(name: "ints", type: .int, collection: .set),
        Column(name: "optionalInts", type: .int, collection: .set, isNullable: true),
        Column(name: "bools", type: .bool, collection: .set, isNullable: true),
        Column(name: "strings", type: .string, collection: .set, isNullable: true),
        Column(name: "blobs", type: .binary, collection: .set),
        Column(name: "floats", type: .float, collection: .set),
        Column(name: "doubles", type: .double, collection: .set, isNullable: true),
        Column(name: "decimals", type: .decimal, collection: .set, isNullable: true),
        Column(name: "dates", type: .timestamp, collection: .set, isNullable: true),
        Column(name: "ids", type: .objectId, collection: .set, isNullable: true),
        Column(name: "uuids", type: .uuid, collection: .set),
        Column(name: "anySet", type: .mixed, collection: .set, isNullable: true),
        Column(name: "people", type: .link, collection: .set, target: "class_Person"),
        Column(name: "bags", type: .link, collection: .set, target: "class_Bag"),
        Column(name: "scores", type: .int, collection: .dictionary),
        Column(name: "texts", type: .string, collection: .dictionary, isNullable: true),
        Column(name: "prices", type: .decimal, collection: .dictionary, isNullable: true),
        Column(name: "moments", type: .timestamp, collection: .dictionary),
        Column(name: "weights", type: .double, collection: .dictionary, isNullable: true),
        Column(name: "chips", type: .uuid, collection: .dictionary),
        Column(name: "anyMap", type: .mixed, collection: .dictionary, isNullable: true),
        Column(name: "dogs", type: .link, collection: .dictionary, target: "class_Dog"),
        Column(name: "places", type: .link, collection: .dictionary, target: "class_Address"),
      ]),
    ModelTable(
      name: "class_Address", kind: .embedded,
      columns: [
        Column(name: "street", type: .string),
        Column(name: "country", type: .link, target: "class_Tag"),
      ]),
  ]

  /// Creates the tables in a file without any.
  static func create(in group: WriteGroup) throws {
    for model in all { _ = try group.createTable(named: model.name, kind: model.kind) }
    for model in all {
      let table = try group.existing(model.name)
      for column in model.columns {
        let target = try column.target.map { try group.existing($0).key }
        try table.addColumn(
          named: column.name, type: column.type, collection: column.collection,
          isNullable: column.isNullable, target: target, isIndexed: column.isIndexed)
      }
      if let name = model.primaryKey {
        try table.setPrimaryKey(try table.schema.existing(name).key)
      }
    }
    try group.setSchemaVersion(1)
  }
}

extension WriteGroup {
  func existing(_ name: String) throws -> WritableTable {
    guard let table = try table(named: name) else {
      throw StorageError.corrupted("table \(name) is missing")
    }
    return table
  }
}

extension TableSchema {
  func existing(_ name: String) throws -> Column {
    guard let column = column(named: name) else {
      throw StorageError.corrupted("column \(name) is missing")
    }
    return column
  }
}
