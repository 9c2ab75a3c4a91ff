// SPDX-License-Identifier: Apache-2.0

// Positions on the earth in subscriptions (P4 B.2).

import RealmStorage
import RealmTables

/// The properties of embedded objects with positions: a type, always "Point", and the coordinates,
/// longitude first.
///
/// For queries, a position is the list of both; other objects are null.
struct PointColumns {
  let type: Column
  let coordinates: Column

  /// Nil for classes of another form.
  init?(_ schema: TableSchema) {
    guard schema.kind == .embedded, let type = schema.column(named: "type"),
      type.type == .string, type.collection == .none,
      let coordinates = schema.column(named: "coordinates"), coordinates.type == .double,
      coordinates.collection == .list
    else { return nil }
    self.type = type
    self.coordinates = coordinates
  }

  func value(of row: Row) throws(StorageError) -> TableValue {
    guard try row.value(of: type) == .string("Point") else { return .null }
    let numbers = try row.list(coordinates).values()
    guard numbers.count >= 2 else { return .null }
    return .list(Array(numbers.prefix(2)))
  }
}

extension TableReader {
  /// The properties of the positions behind a column; nil for other columns.
  func points(of column: Column) throws(StorageError) -> PointColumns? {
    guard column.type == .link, column.collection == .none, let target = column.targetTable,
      let schema = try schema(of: target)
    else { return nil }
    return PointColumns(schema)
  }

  /// The names of the properties of a class with positions.
  func pointNames(of schema: TableSchema) throws(StorageError) -> Set<String> {
    var names: Set<String> = []
    for column in schema.columns where try points(of: column) != nil { names.insert(column.name) }
    return names
  }

  /// The position behind a column.
  func point(
    _ columns: PointColumns, at column: Column, of row: Row
  ) throws(StorageError) -> TableValue {
    guard let target = column.targetTable, let key = try row.link(column.leafIndex),
      let embedded = try self.row(of: key, in: target)
    else { return .null }
    return try columns.value(of: embedded)
  }
}
