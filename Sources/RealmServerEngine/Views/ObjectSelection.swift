// SPDX-License-Identifier: Apache-2.0

// Some objects of a version.
//
// A client may take hours for what it is to get, and keeps it selected for as long. So a selection
// has a bit for each object of the clusters that have some of it, and the version has the rest.

import RealmQuery
import RealmStorage
import RealmTables

/// Objects of tables of one version, in the order of the tables in which they were added.
struct ObjectSelection: Sendable {
  private struct Cluster {
    let table: TableKey
    /// The first object of the cluster, whether it is selected or not.
    let first: ObjectKey
    let rows: LeafMask
  }

  private var clusters: [Cluster] = []
  /// The number of objects.
  private(set) var count = 0

  /// The number of clusters that have objects of the selection.
  var clusterCount: Int { clusters.count }

  /// Adds objects of a table, which are there and in the order of their keys.
  mutating func add(_ keys: [ObjectKey], of table: Table) throws(StorageError) {
    var cursor = table.clusterCursor()
    var next = 0
    while next < keys.count {
      try cursor.seek(keys[next])
      guard let cluster = try cursor.next() else { return }
      var rows = LeafMask.none
      for row in 0..<cluster.count where next < keys.count && cluster.key(at: row) == keys[next] {
        rows.insert(row)
        next += 1
      }
      guard !rows.isEmpty else { throw .corrupted("an object that was found is not there") }
      clusters.append(Cluster(table: table.key, first: cluster.key(at: 0), rows: rows))
      count += rows.count
    }
  }

  /// Adds all objects of a table.
  mutating func addAll(of table: Table) throws(StorageError) {
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      clusters.append(
        Cluster(
          table: table.key, first: cluster.key(at: 0), rows: LeafMask(firstRows: cluster.count)))
      count += cluster.count
    }
  }

  /// The objects of one of the clusters.
  func objects(
    ofCluster number: Int, in source: TableGroup
  ) throws(StorageError) -> (table: Table, keys: [ObjectKey]) {
    let selected = clusters[number]
    guard let table = try source.table(selected.table) else {
      throw .corrupted("a table that was found is not there")
    }
    var cursor = table.clusterCursor()
    try cursor.seek(selected.first)
    guard let cluster = try cursor.next(), cluster.key(at: 0) == selected.first else {
      throw .corrupted("a cluster that was found is not there")
    }
    return (table, selected.rows.map { cluster.key(at: $0) })
  }
}
