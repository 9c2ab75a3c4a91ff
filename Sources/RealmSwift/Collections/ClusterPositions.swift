// SPDX-License-Identifier: Apache-2.0

// Access to the objects of a table by position. Clusters know their keys, but not the number of
// preceding objects, so random access by position needs a list of the clusters' starts.

import RealmStorage
import RealmTables

/// The clusters of one state of a table by the positions of their first objects.
///
/// The list takes one walk over the clusters. It is made after a few accesses, which alone would
/// not pay for it: two in small tables, one for each 64 clusters in large ones.
///
/// Sendable: one made by `init(of:)` is complete and does not change; others stay on one thread.
final class ClusterPositions: @unchecked Sendable {
  private var starts: [Int] = []
  private var clusters: [Cluster] = []
  private var accessCount = 0
  private let isComplete: Bool

  /// An empty list that fills itself; for the thread of a live realm.
  init() { isComplete = false }

  /// The complete list.
  init(of table: Table) throws(StorageError) {
    isComplete = true
    try load(table)
  }

  /// The object at `position`, which is below the table's count.
  func object(
    at position: Int, of table: Table
  ) throws(StorageError) -> (key: ObjectKey, row: Row?) {
    if clusters.isEmpty, !isComplete {
      accessCount += 1
      let clusterCount = try table.objectCount() / 256
      if accessCount <= max(2, clusterCount / 64) {
        guard let key = try table.key(at: position) else { throw ClusterPositions.tooFew }
        return (key, nil)
      }
      try load(table)
    }
    // The last start that is not above the position.
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= position { low = middle } else { high = middle }
    }
    guard low < clusters.count, position - starts[low] < clusters[low].count else {
      throw ClusterPositions.tooFew
    }
    let cluster = clusters[low]
    let index = position - starts[low]
    return (cluster.key(at: index), cluster.row(at: index))
  }

  private func load(_ table: Table) throws(StorageError) {
    var cursor = table.clusterCursor()
    var start = 0
    while let cluster = try cursor.next() {
      starts.append(start)
      clusters.append(cluster)
      start += cluster.count
    }
  }

  private static var tooFew: StorageError {
    .corrupted("a table has fewer objects than it says")
  }
}
