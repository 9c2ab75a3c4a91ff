// SPDX-License-Identifier: Apache-2.0

// Asking for memory before it is needed.
//
// To a scan, the way to a leaf is a chain of three loads that wait for each other: the slots of the
// cluster, the header of the leaf, its values. Each link is asked for one cluster earlier than the
// next, so that all three waits overlap with the work on the clusters before. Measured: this halves
// the time of a sum and of an equality over a million rows; asking further ahead gains nothing.

import RealmStorage

extension InnerCluster {
  /// Asks for what reading column `leafIndex` in the children after child `index` needs first.
  ///
  /// - Returns: what of it is too long to be asked for at once: see `NodeSpace.prefetchNode`.
  @inline(__always)
  func prefetch(_ leafIndex: Int, after index: Int, in space: NodeSpace) -> UnsafeRawPointer? {
    var rest: UnsafeRawPointer?
    if index &+ 2 < childCount, let leaf = leafRef(leafIndex, ofChild: index &+ 2, in: space) {
      rest = space.prefetchNode(at: leaf)
    }
    if index &+ 3 < childCount, let leaf = leafRef(leafIndex, ofChild: index &+ 3, in: space) {
      space.prefetchHeader(at: leaf)
    }
    if index &+ 4 < childCount, let cluster = try? ref(of: index &+ 4) {
      space.prefetchHeader(at: cluster)
    }
    return rest
  }

  /// The ref of a column's leaf; nil where there is none, which whoever reads it will report.
  @inline(__always)
  private func leafRef(_ leafIndex: Int, ofChild index: Int, in space: NodeSpace) -> Ref? {
    guard let child = try? ref(of: index), let node = try? space.node(at: child) else { return nil }
    return try? node.ref(at: leafIndex &+ 1)
  }
}
