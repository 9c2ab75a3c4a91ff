// SPDX-License-Identifier: Apache-2.0

// In which order objects come.

import RealmStorage
package import RealmTables

/// What to sort by, the most important first.
///
/// Nulls come first, and where a link on the path is null; strings and data go by their bytes,
/// false before true, NaN before all numbers. Objects that are equal in everything keep their
/// order.
package struct SortOrder: Hashable, Sendable {
  /// One key path, and which way it goes.
  package struct Criterion: Hashable, Sendable {
    package var names: [String]
    package var isAscending: Bool

    package init(_ names: [String], isAscending: Bool = true) {
      self.names = names
      self.isAscending = isAscending
    }
  }

  package var criteria: [Criterion]

  package init(_ criteria: [Criterion]) { self.criteria = criteria }

  /// The keys in this order.
  ///
  /// - Throws: `QueryError.invalid` if a path does not lead to a value that can be sorted by.
  package func sorted(
    _ keys: [ObjectKey], of table: Table, in source: any TableSource
  ) throws(QueryError) -> [ObjectKey] {
    let paths = try paths(from: table, in: source)
    return try QueryError.widen { () throws(StorageError) in
      try SortTable(keys, paths, table).sortedPositions().map { keys[Int($0)] }
    }
  }

  /// The keys without those whose values equal those of a key before them.
  package func distinct(
    _ keys: [ObjectKey], of table: Table, in source: any TableSource
  ) throws(QueryError) -> [ObjectKey] {
    let paths = try paths(from: table, in: source)
    return try QueryError.widen { () throws(StorageError) in
      try SortTable(keys, paths, table).firstPositions().map { keys[Int($0)] }
    }
  }

  /// The paths bound to columns.
  func paths(
    from table: Table, in source: any TableSource
  ) throws(QueryError) -> [SortPath] {
    var paths: [SortPath] = []
    for criterion in criteria { paths.append(try SortPath(criterion, from: table, in: source)) }
    return paths
  }
}

/// A criterion bound to columns: to-one links, then a value.
struct SortPath {
  let links: [(leafIndex: Int, target: Table)]
  let column: Column
  let isAscending: Bool

  init(
    _ criterion: SortOrder.Criterion, from table: Table, in source: any TableSource
  ) throws(QueryError) {
    let text = criterion.names.joined(separator: ".")
    func fail(_ reason: String) -> QueryError {
      .invalid("Cannot sort on key path '\(text)': \(reason).")
    }
    func className(_ table: Table) -> String { table.schema.className ?? table.schema.name }
    var links: [(leafIndex: Int, target: Table)] = []
    var table = table
    guard let last = criterion.names.last else { throw fail("the key path is empty") }
    for name in criterion.names.dropLast() {
      guard let column = table.schema.column(named: name) else {
        throw fail("property '\(className(table)).\(name)' does not exist")
      }
      guard column.type == .link, column.collection == .none, let key = column.targetTable,
        let target = try QueryError.widen({ () throws(StorageError) in try source.queryTable(key) })
      else { throw fail("property '\(className(table)).\(name)' is not a link to one object") }
      links.append((column.leafIndex, target))
      table = target
    }
    guard let column = table.schema.column(named: last) else {
      throw fail("property '\(className(table)).\(last)' does not exist")
    }
    guard column.collection == .none else {
      let element = ResolvedEnd(type: column.type, target: nil, isElement: false).typeName
      throw fail(
        "property '\(className(table)).\(last)' is of unsupported type "
          + "'\(column.collection)<\(element)>'")
    }
    guard column.type != .link, column.type != .typedLink else {
      throw fail(
        "property '\(className(table)).\(last)' of type 'object' cannot be the final property in "
          + "the key path")
    }
    self.links = links
    self.column = column
    isAscending = criterion.isAscending
  }

  /// The value of an object, null where a link is.
  func value(of row: Row) throws(StorageError) -> MixedValue {
    var row = row
    for (leafIndex, target) in links {
      guard let key = try row.link(leafIndex), let next = try target.row(of: key) else {
        return .null
      }
      row = next
    }
    return try row.mixedValue(of: column)
  }
}
