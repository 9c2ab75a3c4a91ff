// SPDX-License-Identifier: Apache-2.0

// Single questions about the objects that match a condition.

import RealmStorage
package import RealmTables

extension TableQuery {
  /// The number of objects that match the condition; orders and later steps do not count.
  package func matchCount(
    of table: Table, in source: any TableReader
  ) throws(QueryError) -> Int {
    if let equality = try QueryError.storing(IndexedEquality(condition, in: table)) {
      return try QueryError.storing(equality.count())
    }
    let selection = try selection(in: table, of: source)
    return try QueryError.storing(selection.count())
  }

  /// The object with the smallest key that matches the condition, and where it is, if that is
  /// known.
  package func firstMatch(
    of table: Table, in source: any TableReader
  ) throws(QueryError) -> (key: ObjectKey, row: Row?)? {
    if let equality = try QueryError.storing(IndexedEquality(condition, in: table)) {
      return try QueryError.storing(equality.first()).map { ($0.key, $0.row) }
    }
    let selection = try selection(in: table, of: source)
    return try QueryError.storing(selection.first()).map { ($0, nil) }
  }
}
