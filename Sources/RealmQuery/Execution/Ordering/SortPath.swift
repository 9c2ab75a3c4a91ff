// SPDX-License-Identifier: Apache-2.0

// Sort criteria, bound to the columns of one version.

import RealmStorage
import RealmTables

/// A criterion bound to columns: to-one links, then a value, or what is computed from a collection.
struct SortPath {
  private enum End {
    case column(Column)
    /// An aggregate of a collection, or one of its elements.
    case reader(ValueReader, QueryPlan)
  }

  private let links: [(leafIndex: Int, target: Table)]
  private let end: End
  /// Whether values of several types may be compared.
  let isMixed: Bool
  let isAscending: Bool

  init(
    _ criterion: SortOrder.Criterion, from table: Table, in source: any TableReader
  ) throws(QueryError) {
    isAscending = criterion.isAscending
    let path = criterion.path
    if path.function != nil || !path.parts.isEmpty {
      links = []
      let (reader, end) = try PathResolver(path: path, source: source).resolve(from: table)
      guard !end.isElement, end.type != .link else {
        throw SortPath.failure(path, "the key path leads to more than one value, or to an object")
      }
      // The plan has nothing in it: sort paths lead past no conditions.
      self.end = .reader(reader, QueryPlan())
      // The sum of no numbers is an integer.
      isMixed = path.function.map { $0 != .count && end.type != .int } ?? (end.type == .mixed)
      return
    }
    var links: [(leafIndex: Int, target: Table)] = []
    var table = table
    guard let last = path.names.last else {
      throw SortPath.failure(path, "the key path is empty")
    }
    for name in path.names.dropLast() {
      let (column, target) = try SortPath.link(name, of: table, on: path, in: source)
      links.append((column.leafIndex, target))
      table = target
    }
    let column = try SortPath.column(last, of: table, on: path)
    guard column.collection == .none else {
      let element = ResolvedEnd(type: column.type, target: nil, isElement: false).typeName
      throw SortPath.failure(
        path,
        "property '\(table.className).\(last)' is of unsupported type "
          + "'\(column.collection)<\(element)>'")
    }
    guard column.type != .link, column.type != .typedLink else {
      throw SortPath.failure(
        path,
        "property '\(table.className).\(last)' of type 'object' cannot be the final property in "
          + "the key path")
    }
    self.links = links
    end = .column(column)
    isMixed = column.type == .mixed
  }

  private static func failure(_ path: ColumnPath, _ reason: String) -> QueryError {
    .invalid("Cannot sort on key path '\(path.text)': \(reason).")
  }

  private static func column(
    _ name: String, of table: Table, on path: ColumnPath
  ) throws(QueryError) -> Column {
    guard let column = table.schema.column(named: name) else {
      // The name of the other end of links.
      if name.hasPrefix("@links") {
        throw failure(
          path, "property '\(table.className).\(name)' is of unsupported type 'linking objects'")
      }
      let alike = AlikeName.closest(to: name, among: table.schema.columns.map(\.name))
      throw failure(
        path,
        "property '\(table.className).\(name)' does not exist"
          + (alike.map { ", but '\($0)' does" } ?? ""))
    }
    return column
  }

  private static func link(
    _ name: String, of table: Table, on path: ColumnPath, in source: any TableReader
  ) throws(QueryError) -> (Column, Table) {
    let column = try column(name, of: table, on: path)
    guard column.type == .link, column.collection == .none, let key = column.targetTable,
      let target = try source.table(key)
    else {
      throw failure(path, "property '\(table.className).\(name)' is not a link to one object")
    }
    return (column, target)
  }

  /// The column of the objects themselves, if the path leads there.
  var ownColumn: Column? {
    guard links.isEmpty, case .column(let column) = end else { return nil }
    return column
  }

  /// The value of an object; nil if a link on the path is null.
  func value(of row: Row) throws(StorageError) -> MixedValue? {
    switch end {
    case .reader(let reader, let plan):
      var found = MixedValue.null
      _ = try reader.contains(in: row, plan) { value in
        found = value
        return true
      }
      return found
    case .column(let column):
      var row = row
      for (leafIndex, target) in links {
        guard let key = try row.link(leafIndex), let next = try target.row(of: key) else {
          return nil
        }
        row = next
      }
      return try row.mixedValue(of: column)
    }
  }
}

extension Table {
  /// The name of the table in messages.
  var className: String { schema.className ?? schema.name }
}
