// SPDX-License-Identifier: Apache-2.0

// All clusters of a tree, which tests may hold at once.

import RealmStorage
import RealmTables

extension ClusterTree {
  /// The clusters in the order of their keys.
  func all() throws(StorageError) -> [Cluster] {
    var clusters: [Cluster] = []
    var cursor = ClusterCursor(self)
    while let cluster = try cursor.next() { clusters.append(cluster) }
    return clusters
  }
}
