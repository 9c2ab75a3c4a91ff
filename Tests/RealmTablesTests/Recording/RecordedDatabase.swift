// SPDX-License-Identifier: Apache-2.0

// A database whose writes are recorded, with every kind of property.

import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

/// Tables of things that link to each other in every way, and of the parts that they own.
final class RecordedDatabase {
  let database: TestDatabase
  let transcript = WriteTranscript()

  init() throws {
    database = try TestDatabase()
    try write { group in
      let things = try group.createTable(named: "class_Thing")
      let parts = try group.createTable(named: "class_Part", kind: .embedded)
      let id = try things.addColumn(named: "id", type: .string)
      try things.addColumn(named: "count", type: .int)
      try things.addColumn(named: "maybe", type: .int, isNullable: true)
      try things.addColumn(named: "link", type: .link, target: things.key)
      try things.addColumn(named: "links", type: .link, collection: .list, target: things.key)
      try things.addColumn(named: "linkSet", type: .link, collection: .set, target: things.key)
      try things.addColumn(
        named: "linkMap", type: .link, collection: .dictionary, target: things.key)
      try things.addColumn(named: "any", type: .mixed)
      try things.addColumn(named: "anyList", type: .mixed, collection: .list)
      try things.addColumn(named: "anySet", type: .mixed, collection: .set)
      try things.addColumn(named: "anyMap", type: .mixed, collection: .dictionary)
      try things.addColumn(named: "numbers", type: .int, collection: .list)
      try things.addColumn(named: "part", type: .link, target: parts.key)
      try things.addColumn(named: "parts", type: .link, collection: .list, target: parts.key)
      try things.addColumn(
        named: "partMap", type: .link, collection: .dictionary, target: parts.key)
      try parts.addColumn(named: "x", type: .double)
      try parts.addColumn(named: "tags", type: .string, collection: .list)
      try parts.addColumn(named: "part", type: .link, target: parts.key)
      try things.setPrimaryKey(id.key)
    }
  }

  /// Runs a transaction and gives what was recorded of it.
  @discardableResult
  func write(_ body: (WriteGroup) throws -> Void) throws -> [RecordedWrite] {
    try database.write { group in
      group.recorder = transcript
      try body(group)
    }
    return transcript.take()
  }
}

/// The tables of a `RecordedDatabase` in a transaction.
struct RecordedTables {
  let group: WriteGroup
  let things: WritableTable
  let parts: WritableTable
  private let transcript: WriteTranscript

  init(_ group: WriteGroup) throws {
    self.group = group
    things = try group.existing("class_Thing")
    parts = try group.existing("class_Part")
    transcript = try #require(group.recorder as? WriteTranscript)
  }

  func column(_ name: String) throws -> Column { try things.schema.existing(name) }

  func thing(_ id: String) throws -> ObjectKey {
    try things.createObject(primaryKey: .string(id)).key
  }

  func list(_ name: String, _ key: ObjectKey) throws -> ListEditor {
    try things.list(try column(name), key)
  }

  func map(_ name: String, _ key: ObjectKey) throws -> DictionaryEditor {
    try things.dictionary(try column(name), key)
  }

  /// What is recorded of `body`.
  func recorded(_ body: () throws -> Void) throws -> [RecordedWrite] {
    _ = transcript.take()
    try body()
    return transcript.take()
  }

  func place(_ name: String, _ key: ObjectKey, _ path: PathStep...) -> RecordedWrite.Place {
    .init(object: .init(table: things.key, key: key), column: name, path: path)
  }

  func partPlace(_ name: String, _ key: ObjectKey) -> RecordedWrite.Place {
    .init(object: .init(table: parts.key, key: key), column: name)
  }
}
