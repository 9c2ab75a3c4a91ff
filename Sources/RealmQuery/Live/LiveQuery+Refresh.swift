// SPDX-License-Identifier: Apache-2.0

// Bringing a result up to date for somebody who wants the result alone, and not what happened to
// it: the version that it is from need not exist any more.

import RealmStorage
package import RealmTables

extension LiveQuery {
  /// The result in a later version; nil if running the query is likely cheaper, or the changes do
  /// not tell enough.
  ///
  /// - Parameters:
  ///   - state: The result in an earlier version.
  ///   - changes: What happened since then.
  ///   - source: The later version.
  /// - Complexity: follows the number of changed objects, and costs a thousandth of the number of
  ///   keys besides; in an order other than that of the table the keys are searched for those of
  ///   changed objects.
  package func refreshed(
    _ state: ResultState, by changes: VersionChanges, in source: any TableSource
  ) throws(QueryError) -> ResultState? {
    let table = try QueryError.widen { () throws(StorageError) in
      try source.queryTable(self.table)
    }
    guard !changes.schemaChanged, let table,
      var step = try LiveStep(self, by: changes, from: nil, to: (table, source))
    else { return nil }
    return step.isEmpty ? state : try step.run(state)?.0
  }

  /// Where some objects, by ascending keys, stand in the result of a version, ascending; those that
  /// are not in it are left out.
  package func positions(
    of keys: [ObjectKey], in result: ChunkedKeys, of source: any TableSource
  ) throws(QueryError) -> [Int] {
    let table = try QueryError.widen { () throws(StorageError) in
      try source.queryTable(self.table)
    }
    guard let table else { return [] }
    var paths = try order?.paths(from: table, in: source) ?? []
    for step in rest {
      if case .sort(let order) = step {
        paths = try order.paths(from: table, in: source) + paths
      }
    }
    let order = RowOrder(paths, table)
    return try QueryError.widen { () throws(StorageError) in
      try result.positions(of: keys, isAscending: order.isByKey, order)
    }
  }
}
