// SPDX-License-Identifier: Apache-2.0

// Dividing a tree among several cores.

package import RealmStorage

/// The clusters whose keys begin in a range.
package struct ClusterRange: Equatable, Sendable {
  /// Keys as unsigned numbers, the last one included.
  package let ordinals: ClosedRange<UInt64>

  package init(_ ordinals: ClosedRange<UInt64>) { self.ordinals = ordinals }
}

extension ClusterTree {
  /// Ranges of about the same number of clusters that together are the tree, in key order.
  ///
  /// They follow from the tree's form alone, so that sums of floating-point numbers over the parts
  /// come out the same on every machine.
  ///
  /// - Parameter wanted: about how many ranges; there are fewer if the tree is small, and less than
  ///   twice as many if it has many inner nodes.
  /// - Complexity: O(`wanted`).
  package func parts(_ wanted: Int) throws(StorageError) -> [ClusterRange] {
    var starts: [(ref: Ref, offset: UInt64)] = [(root, 0)]
    var areWholeNodes = true
    for _ in 0..<ClusterLimits.maximumDepth where areWholeNodes && starts.count < wanted {
      guard try space.node(at: starts[0].ref).header.isInner else { break }
      let piecesOfEach = (wanted + starts.count - 1) / starts.count
      var below: [(ref: Ref, offset: UInt64)] = []
      for start in starts {
        let inner = try InnerCluster(try space.node(at: start.ref), in: space)
        let pieces = min(piecesOfEach, inner.childCount)
        if pieces < inner.childCount { areWholeNodes = false }
        for piece in 0..<pieces {
          let child = piece * inner.childCount / pieces
          below.append((try inner.ref(of: child), start.offset &+ inner.offset(of: child)))
        }
      }
      starts = below
    }
    var ranges: [ClusterRange] = []
    var lower: UInt64 = 0
    for next in starts.indices.dropFirst() {
      let upper = starts[next].offset
      guard lower < upper else { throw StorageError.badCluster("keys do not ascend") }
      ranges.append(ClusterRange(lower...upper - 1))
      lower = upper
    }
    return ranges + [ClusterRange(lower ... .max)]
  }
}
