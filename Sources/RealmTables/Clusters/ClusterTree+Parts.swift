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
  /// - Parameter wanted: how many ranges; there are fewer if the tree is small.
  /// - Complexity: at most 256 children of as few inner nodes as have enough of them are looked at.
  package func parts(_ wanted: Int) throws(StorageError) -> [ClusterRange] {
    var starts: [(ref: Ref, offset: UInt64)] = [(root, 0)]
    for _ in 0..<ClusterLimits.maximumDepth where starts.count < wanted {
      guard try space.node(at: starts[0].ref).header.isInner else { break }
      var children: [(ref: Ref, offset: UInt64)] = []
      for start in starts {
        let inner = try InnerCluster(try space.node(at: start.ref), in: space)
        for child in 0..<inner.childCount {
          children.append((try inner.ref(of: child), start.offset &+ inner.offset(of: child)))
        }
      }
      starts = children
    }
    let count = max(1, min(wanted, starts.count))
    var ranges: [ClusterRange] = []
    var lower: UInt64 = 0
    for part in 1...count {
      let upper = part == count ? .max : starts[part * starts.count / count].offset &- 1
      guard lower <= upper else { throw StorageError.badCluster("keys do not ascend") }
      ranges.append(ClusterRange(lower...upper))
      lower = upper &+ 1
    }
    return ranges
  }
}
