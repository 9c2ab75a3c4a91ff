// SPDX-License-Identifier: Apache-2.0

// The contents of a version as JSON, in the layout of the fixtures' expected contents.

import Foundation
package import RealmFormats
package import RealmStorage
package import RealmTables
import RealmText

/// Dumps tables, rows and backlinks.
///
/// Everything is read with the API that the layers above use, so that comparing a dump tests those
/// reads.
package struct ContentDump {
  private let tables: [Table]
  private let names: [TableKey: String]
  private let schemas: [TableKey: TableSchema]

  package init(_ tables: [Table]) {
    self.tables = tables
    // Keys are unique, except in damaged files.
    schemas = Dictionary(tables.map { ($0.key, $0.schema) }) { first, _ in first }
    names = schemas.mapValues(\.name)
  }

  /// All tables of a version.
  package init(_ group: TableGroup) throws(StorageError) {
    var tables: [Table] = []
    for key in try group.tableKeys() {
      if let table = try group.table(key) { tables.append(table) }
    }
    self.init(tables)
  }

  /// The array `tables` of the layout.
  package func json() throws(StorageError) -> JSONValue {
    var all: [JSONValue] = []
    for table in tables { all.append(try json(table)) }
    return .array(all)
  }

  private func json(_ table: Table) throws(StorageError) -> JSONValue {
    let schema = table.schema
    var rows: [JSONValue] = []
    // A closure would have to capture what it appends to.
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        rows.append(try json(cluster.row(at: index), cluster.key(at: index), schema))
      }
    }
    return [
      "table": .string(schema.name),
      "class": JSONValue(schema.className),
      "tableKey": .integer(Int64(schema.key.rawValue)),
      "kind": .string("\(schema.kind)"),
      "primaryKey": JSONValue(schema.primaryKey?.name),
      "properties": .array(schema.columns.map(json)),
      "backlinkColumns": .array(
        schema.backlinkColumns.map { column in
          [
            "table": .string(originTable(of: column)),
            "property": .string(originProperty(of: column)),
            "columnKey": .integer(column.key.rawValue),
          ]
        }),
      "count": .integer(Int64(try table.objectCount())),
      "tombstones": .integer(Int64(try table.tombstones?.count() ?? 0)),
      "rows": .array(rows),
    ]
  }

  // MARK: Schema

  private func json(_ column: Column) -> JSONValue {
    var members: [JSONMember] = [
      .init("name", .string(column.name)),
      .init("type", .string(typeName(of: column))),
      .init("nullable", .bool(column.isNullable)),
      .init("collection", .string("\(column.collection)")),
      .init("primary", .bool(column.isPrimaryKey)),
      .init("indexed", .bool(column.hasIndex && !column.isFullText)),
      .init("fullText", .bool(column.isFullText)),
      .init("target", column.type == .link ? .string(targetTable(of: column)) : .null),
      .init("columnKey", .integer(column.key.rawValue)),
    ]
    if column.isEnumerated { members.append(.init("enumerated", true)) }
    return .object(members)
  }

  private func typeName(of column: Column) -> String {
    switch column.type {
    case .binary: "data"
    case .timestamp: "date"
    case .decimal: "decimal128"
    default: "\(column.type)"
    }
  }

  private func targetTable(of column: Column) -> String {
    column.targetTable.flatMap { names[$0] } ?? "?"
  }

  private func originTable(of column: Column) -> String { targetTable(of: column) }

  private func originProperty(of column: Column) -> String {
    guard let table = column.targetTable, let opposite = column.oppositeColumn else { return "?" }
    return schemas[table]?.column(opposite)?.name ?? "?"
  }

  // MARK: Rows

  private func json(
    _ row: Row, _ key: ObjectKey, _ schema: TableSchema
  ) throws(StorageError) -> JSONValue {
    var values: [JSONMember] = []
    for column in schema.columns {
      values.append(.init(column.name, json(try row.value(of: column), of: column)))
    }
    var members: [JSONMember] = [
      .init("key", .integer(key.rawValue)), .init("values", .object(values)),
    ]
    var backlinks: [JSONValue] = []
    for column in schema.backlinkColumns {
      let origins = try row.backlinks(of: column).map(\.rawValue).sorted()
      guard !origins.isEmpty else { continue }
      backlinks.append([
        .string(originTable(of: column)), .string(originProperty(of: column)),
        .array(origins.map { .integer($0) }),
      ])
    }
    if !backlinks.isEmpty { members.append(.init("backlinks", .array(backlinks))) }
    return .object(members)
  }

  private func json(_ value: TableValue, of column: Column) -> JSONValue {
    func one(_ value: TableValue) -> JSONValue {
      column.type == .mixed ? mixed(value) : scalar(value)
    }
    switch (column.collection, value) {
    case (.none, _): return one(value)
    case (_, .list(let elements)): return .array(elements.map { one($0) })
    case (_, .dictionary(let dictionary)):
      return .array(dictionary.entries.map { .array([.string($0.key), one($0.value)]) })
    default: return .string("not a collection: \(value)")
    }
  }

  private func scalar(_ value: TableValue) -> JSONValue {
    switch value {
    case .null: .null
    case .int(let value): .integer(value)
    case .bool(let value): .bool(value)
    case .float(let value): number(Double(value))
    case .double(let value): number(value)
    case .string(let value): .string(value)
    case .binary(let value): .string(Data(value).base64EncodedString())
    case .timestamp(let value):
      [.integer(value.seconds), .integer(Int64(value.nanoseconds))]
    case .decimal(let value):
      [
        "string": "", "high": .string(HexadecimalText.text(value.high, digits: 16)),
        "low": .string(HexadecimalText.text(value.low, digits: 16)),
      ]
    case .objectId(let value): .string(ObjectIDBits(high: value.high, low: value.low).text)
    case .uuid(let value): .string(UUIDBits(high: value.high, low: value.low).text)
    case .link(let key), .typedLink(_, let key): .integer(key.rawValue)
    case .list, .dictionary: mixed(value)
    }
  }

  private func mixed(_ value: TableValue) -> JSONValue {
    func tagged(_ name: String) -> JSONValue { .object([.init(name, scalar(value))]) }
    switch value {
    case .null: return .null
    case .int: return tagged("int")
    case .bool: return tagged("bool")
    case .float: return tagged("float")
    case .double: return tagged("double")
    case .string: return tagged("string")
    case .binary: return tagged("data")
    case .timestamp: return tagged("date")
    case .decimal: return tagged("decimal128")
    case .objectId: return tagged("objectId")
    case .uuid: return tagged("uuid")
    case .link: return tagged("link")
    case .typedLink(let table, let key):
      return [
        "typedLink": ["table": .string(names[table] ?? "?"), "key": .integer(key.rawValue)]
      ]
    case .list(let elements): return ["list": .array(elements.map { mixed($0) })]
    case .dictionary(let dictionary):
      return [
        "dictionary": .array(
          dictionary.entries.map { .array([.string($0.key), mixed($0.value)]) })
      ]
    }
  }

  private func number(_ value: Double) -> JSONValue {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
    return value == 0 && value.sign == .minus ? "-0" : .double(value)
  }
}
