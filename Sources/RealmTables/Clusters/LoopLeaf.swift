// SPDX-License-Identifier: Apache-2.0

// The leaf of a property in the cluster that a loop has come to.

public import RealmStorage

/// The leaf of one property, found at the first read of a row of a cluster, for all others of it.
///
/// Invariants:
/// 1. `leaf` and `strings` are those of the column in the cluster for which this was closed last.
///    They have an element for each of its rows.
@frozen @usableFromInline
package struct LoopLeaf {
  /// The leaf of numbers; one that no read takes for its own if there is none.
  @usableFromInline package var leaf: RowLeaf
  /// The leaf of strings; nil if there is none.
  @usableFromInline package var strings: OpenStringLeaf?
  /// Whether the leaf was not looked for yet.
  @usableFromInline package var isClosed: Bool

  /// A leaf of a cluster that was not looked for yet.
  @inlinable
  package init(closedIn cluster: Node) {
    leaf = .none(in: cluster)
    strings = nil
    isClosed = true
  }

  /// Looks for the leaf in the cluster of a row.
  ///
  /// - Parameter kind: What the column of the leaf holds.
  /// - Throws: `StorageError.corrupted`, and there is none.
  package mutating func open(
    _ row: Row, _ leafIndex: Int, _ kind: LeafKind
  ) throws(StorageError) {
    isClosed = false
    let cluster = try Cluster(
      row.cluster, offset: 0, enumerations: row.enumerations, in: row.space)
    guard row.index < cluster.count else { return }
    if kind == .string {
      strings = try OpenStringLeaf(try cluster.leaf(leafIndex), in: row.space)
    } else if let leaf = try RowLeaf(leafIndex, kind, in: cluster) {
      self.leaf = leaf
    }
  }
}
