// SPDX-License-Identifier: Apache-2.0

// Some objects of a version.
//
// A client may take hours for its objects, and the server keeps the selection for as long. So it
// has a bit for each object of the clusters with some of it, and the version has the rest.

import RealmQuery
import RealmStorage
import RealmTables

/// Objects of tables of one version; tables in the order of their addition.
struct ObjectSelection: Sendable {
  fileprivate struct Cluster {
    let table: TableKey
    /// The first object of the cluster, whether it is selected or not.
    let first: ObjectKey
    let rows: LeafMask
  }

  fileprivate var clusters: [Cluster] = []
  private(set) var count = 0

  /// Adds existing objects of a table, in the order of their keys.
  mutating func add(_ keys: [ObjectKey], of table: Table) throws(StorageError) {
    assert(
      keys.count > 256 || zip(keys, keys.dropFirst()).allSatisfy(<=), "objects are added in order")
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

  mutating func addAll(of table: Table) throws(StorageError) {
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      clusters.append(
        Cluster(
          table: table.key, first: cluster.key(at: 0), rows: LeafMask(firstRows: cluster.count)))
      count += cluster.count
    }
  }
}

extension ObjectSelection.Cluster {
  /// The selected objects of the cluster.
  fileprivate func objects(
    in source: TableGroup
  ) throws(StorageError) -> (table: Table, keys: [ObjectKey]) {
    guard let table = try source.table(table) else {
      throw .corrupted("a table that was found is not there")
    }
    var cursor = table.clusterCursor()
    try cursor.seek(first)
    guard let cluster = try cursor.next(), cluster.key(at: 0) == first else {
      throw .corrupted("a cluster that was found is not there")
    }
    return (table, rows.map { cluster.key(at: $0) })
  }
}

extension ObjectSelection {
  /// Visits the objects one after the other, in the version of the selection. It can be kept
  /// between any two of them.
  struct Iterator: Sendable {
    private var clusters: ArraySlice<Cluster>
    private var table: Table?
    /// The remaining objects of the current cluster.
    private var keys: ArraySlice<ObjectKey> = []
    /// The number of remaining objects.
    private(set) var count: Int

    init(_ selection: ObjectSelection) {
      clusters = selection.clusters[...]
      count = selection.count
    }

    /// The next object; nil at the end.
    mutating func next(
      in source: TableGroup
    ) throws(StorageError) -> (table: Table, key: ObjectKey)? {
      while true {
        if let table, let key = keys.popFirst() {
          count -= 1
          return (table, key)
        }
        guard let cluster = clusters.popFirst() else {
          assert(count == 0, "an object was counted that no cluster has")
          return nil
        }
        let (table, keys) = try cluster.objects(in: source)
        (self.table, self.keys) = (table, keys[...])
      }
    }

    /// The next objects, as many as one part of erasures names; none at the end.
    mutating func nextIdentities(in source: TableGroup) throws(StorageError) -> [ObjectIdentity] {
      var identities: [ObjectIdentity] = []
      var byteCount = 0
      while byteCount < PrivatePart.byteCountMax {
        guard let next = try next(in: source) else { break }
        guard let identity = try next.table.identity(of: next.key) else { continue }
        byteCount += identity.approximateByteCount
        identities.append(identity)
      }
      return identities
    }
  }
}
