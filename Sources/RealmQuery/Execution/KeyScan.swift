// SPDX-License-Identifier: Apache-2.0

// A search through a table that can be interrupted: a caller that shares a thread with others lets
// them have it in between.

package import RealmStorage
package import RealmTables

/// The objects of a table that match a condition, found part by part.
///
/// Made for one version, and used with that alone.
package struct KeyScan {
  private enum Rest {
    case clusters(ClusterCursor)
    case runs(RowRuns)
    case none
  }

  private let selection: Selection
  private let comparisonCount: Int
  private let elements: ElementCosts
  private var rest: Rest
  /// The rows of a cluster that were not compared in the last step.
  private var left: (cluster: Cluster, rows: LeafMask)?
  /// The keys found so far, ascending.
  package private(set) var keys: [ObjectKey] = []

  /// - Throws: `QueryError.invalid` if the condition does not fit the table.
  package init(
    _ condition: BoundPredicate, of table: Table, in source: any TableReader
  ) throws(QueryError) {
    let selection = try Selection(condition, in: table, of: source)
    self.selection = selection
    comparisonCount = max(condition.comparisonCount, 1)
    elements = ElementCosts(condition, of: table.schema)
    rest = .clusters(table.clusterCursor())
    if let (index, value) = try QueryError.storing(selection.exactLookup) {
      keys = try QueryError.storing(index.findAll(value))
      rest = .none
    } else if let candidates = try QueryError.storing(selection.candidates(selection.root)) {
      rest = .runs(RowRuns(of: candidates, in: table))
    }
  }

  /// Goes on for about a number of comparisons, and for one object at least. The elements of
  /// collections count, and so do long strings.
  ///
  /// - Returns: The comparisons; nil at the end.
  package mutating func advance(comparisons limit: Int) throws(StorageError) -> Int? {
    var count = 0
    while let (cluster, rows) = try next() {
      let comparisons = rows.count.multipliedReportingOverflow(by: comparisonCount)
      // Leaves are compared as a whole, whichever rows are asked for.
      guard
        comparisons.overflow || comparisons.partialValue > limit || left != nil
          || !elements.isEmpty
      else {
        for row in try selection.plan.mask(selection.root, cluster, rows) {
          keys.append(cluster.key(at: row))
        }
        count += comparisons.partialValue
        if count >= limit { return count }
        continue
      }
      var compared = LeafMask.none
      for row in rows where count < limit {
        let object = cluster.row(at: row)
        if try selection.matches(object) { keys.append(cluster.key(at: row)) }
        compared.insert(row)
        count += comparisonCount
        if !elements.isEmpty {
          count += try elements.count(of: object, selection.table.schema, limit: limit)
        }
      }
      left = compared == rows ? nil : (cluster, rows - compared)
      if count >= limit { return count }
    }
    return nil
  }

  private mutating func next() throws(StorageError) -> (Cluster, LeafMask)? {
    if let left { return (left.cluster, left.rows) }
    let current = rest
    // A cursor that is here twice would be copied by each step.
    rest = .none
    switch current {
    case .none: return nil
    case .clusters(var cursor):
      guard let cluster = try cursor.next() else { return nil }
      rest = .clusters(cursor)
      return (cluster, LeafMask(firstRows: cluster.count))
    case .runs(var runs):
      guard let (cluster, rows) = try runs.next() else { return nil }
      rest = .runs(runs)
      return (cluster, rows)
    }
  }
}
