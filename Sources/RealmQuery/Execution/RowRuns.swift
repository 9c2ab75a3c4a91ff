// SPDX-License-Identifier: Apache-2.0

// Rows of many objects, cluster by cluster.

package import RealmStorage
package import RealmTables

/// Walks the rows of given objects in the order of their keys; keys without an object are passed
/// over.
///
/// Runs of keys in one cluster come together as far as they ascend.
package struct RowRuns {
  private let table: Table
  private let keys: [ObjectKey]
  private var position = 0

  package init(of keys: [ObjectKey], in table: Table) {
    self.keys = keys
    self.table = table
  }

  /// The next cluster and the rows in it, of which there is at least one; nil at the end.
  package mutating func next() throws(StorageError) -> (cluster: Cluster, rows: LeafMask)? {
    while position < keys.count {
      guard keys[position].rawValue >= 0 else {
        position += 1
        continue
      }
      let cluster = try table.clusters.cluster(for: keys[position])
      let rows = takeRows(of: cluster)
      if !rows.isEmpty { return (cluster, rows) }
    }
    return nil
  }

  /// The rows of the keys from here on as far as they ascend; the first belongs to the cluster.
  private mutating func takeRows(of cluster: Cluster) -> LeafMask {
    var rows = LeafMask.none
    var last = -1
    let first = position
    while position < keys.count {
      if keys[position].rawValue >= 0 {
        if let index = cluster.index(of: keys[position]), index > last {
          rows.insert(index)
          last = index
        } else if position > first {
          break
        }
      }
      position += 1
    }
    return rows
  }
}
