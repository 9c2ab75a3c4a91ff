// SPDX-License-Identifier: Apache-2.0

// Bringing a result up to date for a reader that wants the result alone, and not its changes: the
// version that it is from need not exist any more.

import RealmStorage
package import RealmTables

extension TableQuery {
  /// The result in a later version; nil if running the query is likely cheaper, or the changes do
  /// not say enough.
  ///
  /// - Parameters:
  ///   - state: The result in an earlier version.
  ///   - changes: What happened since then.
  ///   - source: The later version.
  /// - Complexity: follows the number of changed objects, and costs a thousandth of the number of
  ///   keys besides; in an order other than that of the table the keys are searched for those of
  ///   changed objects.
  package func refreshed(
    _ state: ResultState, by changes: VersionChanges, in source: any TableReader
  ) throws(QueryError) -> ResultState? {
    let table = try source.table(self.table)
    guard !changes.schemaChanged, let table,
      var step = try LiveStep(self, by: changes, from: nil, to: (table, source))
    else { return nil }
    return step.isEmpty ? state : try step.run(state)?.0
  }

  /// The positions of some objects, by ascending keys, in the result of a version, ascending; those
  /// that are not in it are left out.
  package func positions(
    of keys: [ObjectKey], in result: ChunkedKeys, of source: any TableReader
  ) throws(QueryError) -> [Int] {
    let table = try source.table(self.table)
    guard let table else { return [] }
    var paths = try order?.paths(from: table, in: source) ?? []
    for step in steps {
      if case .sort(let order) = step {
        paths = try order.paths(from: table, in: source) + paths
      }
    }
    let order = RowOrder(paths, table)
    return try QueryError.storing(result.positions(of: keys, isAscending: order.isByKey, order))
  }
}
