// SPDX-License-Identifier: Apache-2.0

// Links of an unfinished import to later objects, kept in the file itself.

import RealmFormats
import RealmStorage
import RealmTables

/// The table of the waiting links; apps do not see it.
enum PendingLinks {
  /// A property with such a link.
  struct Link {
    let className: String
    let key: ObjectKey
    let field: ImportRecord.Field

    init(_ className: String, _ key: ObjectKey, _ field: ImportRecord.Field) {
      self.className = className
      self.key = key
      self.field = field
    }

    init(
      _ schema: TableSchema, _ key: ObjectKey, _ column: Column, _ field: ImportRecord.Field
    ) {
      self.init(schema.displayName, key, field)
    }
  }

  private static let tableName = "realm_import_links"

  /// The members of a row, in the order of the columns.
  private static let columns: [(name: String, type: ColumnType)] = [
    ("class", .string), ("object", .int), ("property", .string), ("value", .string),
    ("isText", .bool), ("line", .int), ("column", .int), ("file", .string),
  ]

  static func add(_ links: [Link], to group: WriteGroup) throws {
    guard !links.isEmpty else { return }
    if try group.key(ofTable: tableName) == nil {
      let new = try group.createTable(named: tableName)
      for (name, type) in columns {
        _ = try new.addColumn(
          named: name, type: type, isNullable: name == "column" || name == "file")
      }
    }
    guard let table = try group.table(named: tableName) else { return }
    let columns = try table.table.schema.columns
    for link in links {
      let field = link.field
      let values: [TableValue] = [
        .string(link.className), .int(link.key.rawValue), .string(field.name),
        .string(JSONWriter.text(field.value)), .bool(field.isText), .int(Int64(field.line)),
        field.column.map { .int(Int64($0)) } ?? .null, field.file.map { .string($0) } ?? .null,
      ]
      let key = try table.createObject().key
      for (column, value) in zip(columns, values) { try table.set(value, column, key) }
    }
  }

  static func read(from group: WriteGroup) throws -> [Link] {
    guard let table = try group.table(named: tableName)?.table else { return [] }
    let columns = table.schema.columns
    var links: [Link] = []
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        let values = try columns.map { try row.value(of: $0) }
        guard values.count == Self.columns.count, case .string(let className) = values[0],
          case .int(let key) = values[1], case .string(let name) = values[2],
          case .string(let text) = values[3], case .bool(let isText) = values[4],
          case .int(let line) = values[5]
        else { continue }
        var (column, file): (Int?, String?) = (nil, nil)
        if case .int(let number) = values[6] { column = Int(number) }
        if case .string(let name) = values[7] { file = name }
        let field = ImportRecord.Field(
          name, try JSONParser.parse(text), isText: isText, line: Int(line), column: column,
          file: file)
        links.append(Link(className, ObjectKey(key), field))
      }
    }
    return links
  }

  static func remove(from group: WriteGroup) throws {
    if let key = try group.key(ofTable: tableName) { try group.removeTable(key) }
  }
}
