// SPDX-License-Identifier: Apache-2.0

// A table of one version, or of a write transaction as it stands.

public import RealmStorage

/// The read view of a table: its schema, and the roots of its trees.
///
/// A value over pointers. Its holder keeps the snapshot or transaction alive.
@frozen @usableFromInline
package struct Table: Sendable {
  @usableFromInline package let space: NodeSpace
  @usableFromInline package let schema: TableSchema
  /// Where the values of the enumerated string columns are.
  @usableFromInline package let enumerations: EnumerationPlace
  /// The tree of the live objects.
  @usableFromInline package let clusterRoot: Ref
  /// The tree of the tombstones; null if there never was one.
  @usableFromInline package let tombstoneRoot: Ref
  /// The node of index roots by leaf index; null if the table has none.
  @usableFromInline package let indexRoots: Ref
}

extension Table {
  package init(_ top: TableTop, schema: TableSchema, in space: NodeSpace) {
    self.init(
      space: space, schema: schema,
      enumerations: EnumerationPlace(spec: top.spec, schema, in: space), clusterRoot: top.clusters,
      tombstoneRoot: top.tombstones, indexRoots: top.indexes)
  }

  package var key: TableKey { schema.key }

  /// The tree of the live objects.
  @inlinable @inline(__always)
  package var clusters: ClusterTree {
    ClusterTree(root: clusterRoot, enumerations: enumerations, in: space)
  }

  /// The tree of the tombstones, if there is one.
  package var tombstones: ClusterTree? {
    tombstoneRoot.isNull
      ? nil : ClusterTree(root: tombstoneRoot, enumerations: enumerations, in: space)
  }

  /// The number of live objects.
  package func objectCount() throws(StorageError) -> Int { try clusters.count() }

  /// The object with that key; tombstones are not found.
  @inlinable
  package func row(of key: ObjectKey) throws(StorageError) -> Row? {
    guard key.rawValue >= 0 else { return nil }
    return try clusters.row(of: key)
  }

  /// The key of the object at a position in key order.
  package func key(at position: Int) throws(StorageError) -> ObjectKey? {
    try clusters.key(at: position)
  }

  /// The position in key order of an object.
  package func position(of key: ObjectKey) throws(StorageError) -> Int? {
    guard key.rawValue >= 0 else { return nil }
    return try clusters.position(of: key)
  }

  /// Walks the clusters in key order.
  package func clusterCursor() -> ClusterCursor { ClusterCursor(clusters) }

  /// Walks the clusters of one range in key order.
  package func clusterCursor(of range: ClusterRange) throws(StorageError) -> ClusterCursor {
    try ClusterCursor(clusters, range)
  }

  /// The root of a column's index; null if it has none.
  package func indexRoot(_ leafIndex: Int) throws(StorageError) -> Ref {
    guard !indexRoots.isNull else { return .null }
    let node = try space.node(at: indexRoots)
    return leafIndex < node.count ? try node.ref(at: leafIndex) : .null
  }
}
