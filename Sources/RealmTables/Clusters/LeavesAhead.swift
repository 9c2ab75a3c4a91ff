// SPDX-License-Identifier: Apache-2.0

// Asking for memory before it is needed.
//
// To a scan, the way to a leaf is a chain of three loads that wait for each other: the slots of the
// cluster, the header of the leaf, its values. Each link is asked for one cluster earlier than the
// next, so that all three waits overlap with the work on the clusters before. Measured: this halves
// the time of a sum and of an equality over a million rows; asking further ahead gains nothing.

import RealmStorage

/// What a scan knows of the clusters that come next below one inner node.
struct LeavesAhead {
  /// The leaf of the column in the cluster after the next, if its ref was seen.
  private var leaf: Ref?

  /// Asks for what reading column `leafIndex` in the children after child `index` needs first.
  ///
  /// To be called for one child after the other.
  ///
  /// - Returns: what of it is too long to be asked for at once: see `NodeSpace.prefetchNode`.
  @inline(__always)
  mutating func prefetch(
    _ leafIndex: Int, in inner: InnerCluster, after index: Int, _ space: NodeSpace
  ) -> UnsafeRawPointer? {
    let rest = leaf.flatMap(space.prefetchNode)
    leaf = nil
    if index &+ 3 < inner.childCount,
      let leaf = leafRef(leafIndex, of: index &+ 3, in: inner, space)
    {
      space.prefetchHeader(at: leaf)
      self.leaf = leaf
    }
    if index &+ 4 < inner.childCount, let cluster = try? inner.ref(of: index &+ 4) {
      space.prefetchHeader(at: cluster)
    }
    return rest
  }

  /// The ref of a column's leaf; nil where there is none, which whoever reads it will report.
  @inline(__always)
  private func leafRef(
    _ leafIndex: Int, of child: Int, in inner: InnerCluster, _ space: NodeSpace
  ) -> Ref? {
    guard let child = try? inner.ref(of: child), let node = try? space.node(at: child) else {
      return nil
    }
    return try? node.ref(at: leafIndex &+ 1)
  }
}
