// SPDX-License-Identifier: Apache-2.0

// Objects as tables of SQLite.
//
// - a class is a table; its key is the primary key, or the column "_key" with the object key
// - a link is the key of its object, declared as a foreign key
// - a list or set is a table "Class_property" with owner, position and value; a map has keys
// - embedded objects and values of any type are JSON, dates, ids and decimals texts

import Foundation
package import RealmStorage
import RealmSyncProtocol
package import RealmTables

/// Writes the objects of a version to a database of SQLite.
package struct SQLiteExporter {
  private let group: TableGroup
  private let classes: StoredClasses
  private let json: ObjectJSON

  package init(_ group: TableGroup) throws(StorageError) {
    self.group = group
    classes = try StoredClasses(group)
    json = ObjectJSON(group, classes)
  }

  /// Writes the selected objects to a new file, in one transaction.
  ///
  /// - Returns: How many objects there are.
  package func write(
    _ selection: [(schema: TableSchema, keys: [ObjectKey]?)], with exporter: Exporter,
    to path: String
  ) throws -> Int {
    _ = try SQLiteLibrary.required()
    return try NewFile.make(at: path) { unfinished in
      let database = try SQLiteDatabase(path: unfinished, creates: true)
      try database.run("BEGIN")
      var writers: [TableKey: ClassWriter] = [:]
      for (schema, _) in selection {
        try create(schema, in: database)
        writers[schema.key] = try ClassWriter(schema, self, database)
      }
      let count = try exporter.forEach(selection) { schema, key, row in
        try writers[schema.key]?.write(key, row)
      }
      writers = [:]
      try database.run("COMMIT")
      return count
    }
  }

  // MARK: Tables

  private static func quoted(_ name: String) -> String {
    "\"" + name.replacing("\"", with: "\"\"") + "\""
  }

  private static func keyColumn(_ schema: TableSchema) -> String {
    quoted(schema.primaryKey?.name ?? "_key")
  }

  private static func keyType(_ schema: TableSchema) -> String {
    schema.primaryKey.map { type(of: $0) } ?? "INTEGER"
  }

  /// The declared type, by which an import knows what the texts are.
  private static func type(of column: Column) -> String {
    switch column.type {
    case .int: "INTEGER"
    case .bool: "BOOLEAN"
    case .float, .double: "REAL"
    case .string: "TEXT"
    case .binary: "BLOB"
    case .timestamp: "DATETIME"
    case .uuid: "UUID"
    case .decimal, .objectId, .mixed, .link, .backlink, .typedLink: "TEXT"
    }
  }

  private func create(_ schema: TableSchema, in database: SQLiteDatabase) throws {
    var columns: [String] = []
    if schema.primaryKey == nil { columns.append("\"_key\" INTEGER PRIMARY KEY") }
    for column in schema.columns where column.collection == .none {
      var text = Self.quoted(column.name)
      if let target = classes.target(of: column), target.kind != .embedded {
        text +=
          " \(Self.keyType(target)) REFERENCES \(Self.quoted(target.displayName))"
          + "(\(Self.keyColumn(target)))"
      } else {
        text += " " + Self.type(of: column)
      }
      if column.isPrimaryKey { text += " PRIMARY KEY" }
      if !column.isNullable, !column.isPrimaryKey { text += " NOT NULL" }
      columns.append(text)
    }
    let name = Self.quoted(schema.displayName)
    try database.run("CREATE TABLE \(name) (\(columns.joined(separator: ", ")))")
    for column in schema.columns where column.collection != .none {
      let target = classes.target(of: column)
      let value =
        target.map { $0.kind == .embedded ? "TEXT" : Self.keyType($0) } ?? Self.type(of: column)
      let place = column.collection == .dictionary ? "key TEXT" : "position INTEGER"
      let owner = "owner \(Self.keyType(schema)) NOT NULL"
      try database.run(
        "CREATE TABLE \(Self.quoted("\(schema.displayName)_\(column.name)")) "
          + "(\(owner) REFERENCES \(name)(\(Self.keyColumn(schema))), "
          + "\(place) NOT NULL, value \(value), "
          + "PRIMARY KEY (owner, \(place.prefix { $0 != " " })))")
    }
  }

  /// The statements that insert the objects of a class.
  private final class ClassWriter {
    private let schema: TableSchema
    private let exporter: SQLiteExporter
    private let insert: SQLiteDatabase.Statement
    private var elements: [(column: Column, insert: SQLiteDatabase.Statement)] = []

    init(
      _ schema: TableSchema, _ exporter: SQLiteExporter, _ database: SQLiteDatabase
    ) throws(ToolFailure) {
      self.schema = schema
      self.exporter = exporter
      let count =
        schema.columns.count { $0.collection == .none } + (schema.primaryKey == nil ? 1 : 0)
      let places = Array(repeating: "?", count: max(count, 1)).joined(separator: ", ")
      let name = schema.displayName
      insert = try database.prepare("INSERT INTO \(SQLiteExporter.quoted(name)) VALUES (\(places))")
      for column in schema.columns where column.collection != .none {
        let table = SQLiteExporter.quoted("\(name)_\(column.name)")
        elements.append((column, try database.prepare("INSERT INTO \(table) VALUES (?, ?, ?)")))
      }
    }

    func write(_ key: ObjectKey, _ row: Row) throws {
      var values: [SQLiteDatabase.Value] = []
      if schema.primaryKey == nil { values.append(.integer(key.rawValue)) }
      for column in schema.columns where column.collection == .none {
        values.append(try exporter.value(try row.value(of: column), column))
      }
      try insert.run(values)
      guard !elements.isEmpty else { return }
      let owner: SQLiteDatabase.Value =
        try schema.primaryKey.map { try exporter.value(try row.value(of: $0), $0) }
        ?? .integer(key.rawValue)
      for (column, insert) in elements {
        switch try row.value(of: column) {
        case .list(let values):
          for (index, value) in values.enumerated() {
            try insert.run([owner, .integer(Int64(index)), try exporter.value(value, column)])
          }
        case .dictionary(let dictionary):
          for entry in dictionary.entries {
            try insert.run([owner, .text(entry.key), try exporter.value(entry.value, column)])
          }
        default: break
        }
      }
    }
  }

  private func value(
    _ value: TableValue, _ column: Column
  ) throws(StorageError) -> SQLiteDatabase.Value {
    switch value {
    case .null: return .null
    // SQLite stores NaN as null.
    case .float(let number) where number.isNaN: return .text("nan")
    case .double(let number) where number.isNaN: return .text("nan")
    case .int(let number) where column.type != .mixed: return .integer(number)
    case .bool(let truth) where column.type != .mixed: return .integer(truth ? 1 : 0)
    case .float(let number) where column.type != .mixed: return .double(Double(number))
    case .double(let number) where column.type != .mixed: return .double(number)
    case .binary(let bytes) where column.type != .mixed: return .blob(bytes)
    default: break
    }
    if column.type != .mixed, let text = ScalarText.text(value) { return .text(text) }
    // One element of a collection is represented as a value of its own.
    switch try json.element(value, column) {
    case .null: return .null
    case .integer(let number) where column.type == .link: return .integer(number)
    case .string(let text) where column.type == .link: return .text(text)
    case .object(let members) where members.count == 1 && members[0].key == "$object":
      return members[0].value.integer.map { .integer($0) } ?? .null
    case let value: return .text(JSONWriter.text(value))
    }
  }
}
