// SPDX-License-Identifier: Apache-2.0

// In which order objects come.

import RealmStorage
package import RealmTables

/// What to sort by, the most important first.
///
/// Nulls come first, objects for which a link on the path is null last; strings and data go by
/// their bytes, false before true, NaN before all numbers. Objects that are equal in everything
/// keep their order.
package struct SortOrder: Hashable, Sendable {
  /// One key path, and which way it goes.
  package struct Criterion: Hashable, Sendable {
    package var path: PropertyPath
    package var isAscending: Bool

    package init(_ path: PropertyPath, isAscending: Bool = true) {
      self.path = path
      self.isAscending = isAscending
    }

    package init(_ names: [String], isAscending: Bool = true) {
      self.init(PropertyPath(names), isAscending: isAscending)
    }

    /// The names of the properties on the path.
    package var names: [String] { path.names }
  }

  package var criteria: [Criterion]

  package init(_ criteria: [Criterion]) { self.criteria = criteria }

  /// That the links on all paths lead to objects; nil if the paths have none.
  package var linksExist: Predicate? {
    var conditions: [Predicate] = []
    for path in criteria.map(\.path) where path.function == nil && path.parts.isEmpty {
      let links = path.names.dropLast()
      if links.isEmpty { continue }
      conditions.append(
        .comparison(Comparison(.property(PropertyPath(Array(links))), .notEqual, .value(.null))))
    }
    return conditions.isEmpty ? nil : .all(conditions)
  }

  /// The keys in this order, or as many of the first of them as `limit` says.
  ///
  /// - Throws: `QueryError.invalid` if a path does not lead to a value that can be sorted by.
  package func sorted(
    _ keys: [ObjectKey], of table: Table, in source: any TableSource, limit: Int = .max
  ) throws(QueryError) -> [ObjectKey] {
    let paths = try paths(from: table, in: source)
    return try QueryError.widen { () throws(StorageError) in
      try SortTable(keys, paths, table).sortedPositions(limit: limit).map { keys[Int($0)] }
    }
  }

  /// The keys without those whose values equal those of a key before them.
  package func distinct(
    _ keys: [ObjectKey], of table: Table, in source: any TableSource
  ) throws(QueryError) -> [ObjectKey] {
    let paths = try paths(from: table, in: source)
    return try QueryError.widen { () throws(StorageError) in
      try SortTable(keys, paths, table).distinctPositions().map { keys[Int($0)] }
    }
  }

  /// The keys with those of equal values side by side, which keep their order among each other, and
  /// the first of each such group in the order in which they came.
  func grouped(
    _ keys: [ObjectKey], of table: Table, in source: any TableSource
  ) throws(QueryError) -> (keys: [ObjectKey], firsts: [ObjectKey]) {
    let paths = try paths(from: table, in: source)
    return try QueryError.widen { () throws(StorageError) in
      let (positions, firsts) = try SortTable(keys, paths, table).groupedPositions()
      return (positions.map { keys[Int($0)] }, firsts.map { keys[Int($0)] })
    }
  }

  /// Checks that the paths lead to values that can be sorted by.
  ///
  /// - Throws: `QueryError.invalid` with what does not.
  package func check(
    against table: Table, of source: any TableSource
  ) throws(QueryError) {
    _ = try paths(from: table, in: source)
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
