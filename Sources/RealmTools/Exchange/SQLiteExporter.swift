// SPDX-License-Identifier: Apache-2.0

// Objects as tables of SQLite.
//
// - a class is a table; its key is the primary key, or the column "_key" with the object key where
//   there is none, or a nullable one
// - a link is the key of its object, declared as a foreign key
// - a list or set is a table "Class_property" with owner, position and value; a map has keys
// - embedded objects and values of any type are JSON, dates, ids and decimals texts
// - the table "realm_schema" has the declaration of the classes, for an import to restore them

#if Tools
import Foundation
import RealmDeclarations
import RealmFormats
import RealmQuery
package import RealmStorage
package import RealmTables

/// Writes the objects of a version to a database of SQLite.
package struct SQLiteExporter {
  private let classes: StoredSchema
  private let json: ObjectJSON

  package init(_ group: TableGroup) throws(StorageError) {
    classes = try StoredSchema(group)
    json = ObjectJSON(classes)
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
      // An unfinished file is removed: nothing is rolled back.
      try database.run("PRAGMA journal_mode = OFF")
      try database.run("BEGIN")
      let layout = SQLiteLayout(try exporter.declaration(of: selection))
      try database.run("CREATE TABLE \(SQLiteLayout.schemaTable) (declaration TEXT NOT NULL)")
      try database.run(
        "INSERT INTO \(SQLiteLayout.schemaTable) VALUES (?)",
        [.text(JSONWriter.text(layout.schema.json))])
      var writers: [TableKey: ClassWriter] = [:]
      for (schema, _) in selection where writers[schema.key] == nil {
        guard let table = layout.tables[schema.displayName] else { continue }
        try create(schema, table, layout, in: database)
        writers[schema.key] = try ClassWriter(schema, table, layout, self, database)
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

  /// The type of the key column of a class.
  private func keyType(_ name: String, _ layout: SQLiteLayout) -> String {
    guard let table = layout.tables[name], table.keyColumn == nil,
      let key = classes[name]?.primaryKey
    else { return "INTEGER" }
    return Self.type(of: key)
  }

  /// The declared type, for an import to read the texts by.
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

  private func create(
    _ schema: TableSchema, _ table: SQLiteLayout.Table, _ layout: SQLiteLayout,
    in database: SQLiteDatabase
  ) throws {
    func reference(_ name: String) -> String {
      "REFERENCES \(Self.quoted(layout.tables[name]?.name ?? name))"
        + "(\(Self.quoted(layout.keyColumn(of: name) ?? "_key")))"
    }
    var columns: [String] = []
    if let key = table.keyColumn { columns.append("\(Self.quoted(key)) INTEGER PRIMARY KEY") }
    for (property, name) in table.columns {
      guard let column = schema.column(named: property.name) else { continue }
      var text = Self.quoted(name)
      if let target = classes.target(of: column), target.kind != .embedded {
        text +=
          " \(keyType(target.displayName, layout)) \(reference(target.displayName))"
      } else {
        text += " " + Self.type(of: column)
      }
      let isKey = column.isPrimaryKey && table.keyColumn == nil
      if isKey { text += " PRIMARY KEY" }
      if column.isPrimaryKey, !isKey { text += " UNIQUE" }
      if !column.isNullable, !isKey, column.type != .mixed { text += " NOT NULL" }
      columns.append(text)
    }
    try database.run(
      "CREATE TABLE \(Self.quoted(table.name)) (\(columns.joined(separator: ", ")))")
    for (property, name) in table.collections {
      guard let column = schema.column(named: property.name) else { continue }
      let target = classes.target(of: column)
      let value =
        target.map { $0.kind == .embedded ? "TEXT" : keyType($0.displayName, layout) }
        ?? Self.type(of: column)
      let place = column.collection == .dictionary ? "key TEXT" : "position INTEGER"
      let owner = "owner \(keyType(schema.displayName, layout)) NOT NULL"
      try database.run(
        "CREATE TABLE \(Self.quoted(name)) (\(owner) \(reference(schema.displayName)), "
          + "\(place) NOT NULL, value \(value), "
          + "PRIMARY KEY (owner, \(place.prefix { $0 != " " })))")
    }
  }

  /// The statements for inserting the objects of a class.
  private final class ClassWriter {
    private let exporter: SQLiteExporter
    private let layout: SQLiteLayout
    private let hasKeyColumn: Bool
    private let key: Column?
    private let columns: [PlainColumn]
    private let insert: SQLiteDatabase.Statement
    private var elements: [(column: Column, insert: SQLiteDatabase.Statement)] = []

    init(
      _ schema: TableSchema, _ table: SQLiteLayout.Table, _ layout: SQLiteLayout,
      _ exporter: SQLiteExporter, _ database: SQLiteDatabase
    ) throws(ToolFailure) {
      self.exporter = exporter
      self.layout = layout
      hasKeyColumn = table.keyColumn != nil
      key = schema.primaryKey
      columns = table.columns.compactMap {
        schema.column(named: $0.property.name).map { PlainColumn($0) }
      }
      let count = columns.count + (hasKeyColumn ? 1 : 0)
      let places = Array(repeating: "?", count: count).joined(separator: ", ")
      insert = try database.prepare(
        "INSERT INTO \(SQLiteExporter.quoted(table.name)) VALUES (\(places))")
      for (property, name) in table.collections {
        guard let column = schema.column(named: property.name) else { continue }
        let statement = try database.prepare(
          "INSERT INTO \(SQLiteExporter.quoted(name)) VALUES (?, ?, ?)")
        elements.append((column, statement))
      }
    }

    func write(_ objectKey: ObjectKey, _ row: Row) throws {
      var index = 1
      if hasKeyColumn {
        try insert.bind(.integer(objectKey.rawValue), at: index)
        index += 1
      }
      for column in columns {
        switch try column.value(of: row) {
        case .null: try insert.bind(.null, at: index)
        case .int(let number): try insert.bind(.integer(number), at: index)
        case .bool(let truth): try insert.bind(.integer(truth ? 1 : 0), at: index)
        case .string(let text) where text.isASCII(without: { _ in false }):
          try insert.bind(text: text, at: index)
        // Bytes that are not UTF-8 are repaired.
        case .string(let text): try insert.bind(.text(text.string), at: index)
        case .double(let number):
          try insert.bind(
            try exporter.value(.double(number), column.column, layout), at: index)
        case .other(let value):
          try insert.bind(try exporter.value(value, column.column, layout), at: index)
        }
        index += 1
      }
      try insert.runBound()
      guard !elements.isEmpty else { return }
      var owner = SQLiteDatabase.Value.integer(objectKey.rawValue)
      if !hasKeyColumn, let key {
        owner = try exporter.value(try row.value(of: key), key, layout)
      }
      for (column, insert) in elements {
        switch try row.value(of: column) {
        case .list(let values):
          for (index, value) in values.enumerated() {
            let cell = try exporter.value(value, column, layout)
            try insert.run([owner, .integer(Int64(index)), cell])
          }
        case .dictionary(let dictionary):
          for entry in dictionary.entries {
            let cell = try exporter.value(entry.value, column, layout)
            try insert.run([owner, .text(entry.key), cell])
          }
        default: break
        }
      }
    }
  }

  private func value(
    _ value: TableValue, _ column: Column, _ layout: SQLiteLayout
  ) throws(StorageError) -> SQLiteDatabase.Value {
    if column.type == .mixed {
      return value.isNull ? .null : .text(JSONWriter.text(try json.element(value, column)))
    }
    switch value {
    case .null: return .null
    // SQLite stores NaN as null, and the negative zero as the other one.
    case .float(let number) where number.isNaN: return .text("nan")
    case .double(let number) where number.isNaN: return .text("nan")
    case .float(let number) where number == 0 && number.sign == .minus:
      return .text(SQLiteLayout.negativeZero)
    case .double(let number) where number == 0 && number.sign == .minus:
      return .text(SQLiteLayout.negativeZero)
    case .int(let number): return .integer(number)
    case .bool(let truth): return .integer(truth ? 1 : 0)
    case .float(let number): return .double(Double(number))
    case .double(let number): return .double(number)
    case .binary(let bytes): return .blob(bytes)
    case .link(let key):
      if let target = classes.target(of: column), target.kind != .embedded,
        layout.tables[target.displayName]?.keyColumn != nil
      {
        // A link to an invalidated object has no target.
        return try json.element(value, column) == .null ? .null : .integer(key.rawValue)
      }
    default: if let text = ValueText.file.string(value) { return .text(text) }
    }
    switch try json.element(value, column) {
    case .null: return .null
    case .integer(let number): return .integer(number)
    case .string(let text): return .text(text)
    case let value: return .text(JSONWriter.text(value))
    }
  }
}
#endif
