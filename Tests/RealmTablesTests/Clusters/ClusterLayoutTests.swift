// SPDX-License-Identifier: Apache-2.0

// Where a commit puts the clusters of a table and their leaves.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct ClusterLayoutTests {
  /// Reads the clusters of a table of two integers and a string, filled by one commit.
  private func withClusters(_ body: ([Cluster]) throws -> Void) throws {
    let database = try TestDatabase()
    try database.write { group in
      let table = try group.createTable(named: "class_A")
      let columns = try (
        table.addColumn(named: "a", type: .int), table.addColumn(named: "b", type: .int),
        table.addColumn(named: "c", type: .string)
      )
      for index in 0..<3000 {
        let key = try table.createObject().key
        try table.set(.int(Int64(index)), columns.0, key)
        try table.set(.int(Int64(index % 7)), columns.1, key)
        try table.set(.string("a text of middle length \(index)"), columns.2, key)
      }
    }
    let table = try database.table("class_A")
    var clusters: [Cluster] = []
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() { clusters.append(cluster) }
    try #require(clusters.count == 12)
    try withExtendedLifetime((database, table)) { try body(clusters) }
  }

  /// `NodeWriter` 1.
  @Test(arguments: [0, 1]) func leavesOfAColumnAreNeighbours(column: Int) throws {
    try withClusters { clusters in
      let leaves = try clusters.map { try $0.leaf(column) }
      for (leaf, next) in zip(leaves, leaves.dropFirst()) {
        expectEqual(leaf.address + leaf.header.nodeByteCount, next.address)
      }
    }
  }

  @Test func clustersAreNeighbours() throws {
    try withClusters { clusters in
      for (cluster, next) in zip(clusters, clusters.dropFirst()) {
        expectEqual(cluster.node.address + cluster.node.header.nodeByteCount, next.node.address)
      }
    }
  }
}
