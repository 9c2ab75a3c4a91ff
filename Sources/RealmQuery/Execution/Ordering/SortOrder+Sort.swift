// SPDX-License-Identifier: Apache-2.0

// Sorting and comparing keys by the criteria of an order.

import RealmStorage
package import RealmTables

extension SortOrder {
  /// The keys in this order, or as many of the first of them as `limit` says.
  ///
  /// - Throws: `QueryError.invalid` if a path does not lead to a value that can be sorted by.
  package func sorted(
    _ keys: [ObjectKey], of table: Table, in source: any TableReader, limit: Int = .max
  ) throws(QueryError) -> [ObjectKey] {
    let paths = try paths(from: table, in: source)
    let positions = try QueryError.storing(
      SortTable(keys, paths, table).sortedPositions(limit: limit))
    return positions.map { keys[Int($0)] }
  }

  /// The keys without those whose values equal those of a key before them.
  package func distinct(
    _ keys: [ObjectKey], of table: Table, in source: any TableReader
  ) throws(QueryError) -> [ObjectKey] {
    let paths = try paths(from: table, in: source)
    let positions = try QueryError.storing(SortTable(keys, paths, table).distinctPositions())
    return positions.map { keys[Int($0)] }
  }

  /// The keys with those of equal values side by side, in their former order among each other, and
  /// the first of each such group in the former order.
  func grouped(
    _ keys: [ObjectKey], of table: Table, in source: any TableReader
  ) throws(QueryError) -> (keys: [ObjectKey], firsts: [ObjectKey]) {
    let paths = try paths(from: table, in: source)
    let (positions, firsts) = try QueryError.storing(
      SortTable(keys, paths, table).groupedPositions())
    return (positions.map { keys[Int($0)] }, firsts.map { keys[Int($0)] })
  }

  /// Checks that the paths lead to values that can be sorted by.
  ///
  /// - Throws: `QueryError.invalid` with what does not.
  package func check(against table: Table, of source: any TableReader) throws(QueryError) {
    _ = try paths(from: table, in: source)
  }

  /// The paths bound to columns.
  func paths(from table: Table, in source: any TableReader) throws(QueryError) -> [SortPath] {
    var paths: [SortPath] = []
    for criterion in criteria { paths.append(try SortPath(criterion, from: table, in: source)) }
    return paths
  }
}
