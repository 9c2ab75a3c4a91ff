// SPDX-License-Identifier: Apache-2.0

// The storage check of B+ trees (file format 5.1.5, number 27).

extension BTree {
  /// Checks totals, starts, sizes and depth of the whole tree, and all leaves.
  package static func validate(_ root: Ref, in space: NodeSpace) throws(StorageError) {
    guard try space.node(at: root).header.isInner else { return try L.validate(root, in: space) }
    var leafDepth: Int?
    _ = try validate(root, in: space, depth: 0, leafDepth: &leafDepth)
  }

  /// Checks below a node that may not be empty; returns the number of elements.
  private static func validate(
    _ ref: Ref, in space: NodeSpace, depth: Int, leafDepth: inout Int?
  ) throws(StorageError) -> Int {
    guard depth < BTreeLimits.maximumDepth else { throw .corrupted("a B+ tree does not end") }
    let node = try space.node(at: ref)
    guard node.header.isInner else {
      guard leafDepth == nil || leafDepth == depth else {
        throw .corrupted("the leaves of a B+ tree have different depths")
      }
      leafDepth = depth
      try L.validate(ref, in: space)
      let count = try L.count(ref, in: space)
      guard count > 0, count <= BTreeLimits.entryCount else {
        throw .corrupted("a leaf of a B+ tree has \(count) elements")
      }
      return count
    }
    let inner = try BTreeInner(node, in: space)
    guard inner.children.count <= BTreeLimits.entryCount else {
      throw .corrupted("a node of a B+ tree has \(inner.children.count) children")
    }
    for (index, child) in inner.children.enumerated() {
      let count = try validate(child, in: space, depth: depth + 1, leafDepth: &leafDepth)
      guard count == inner.size(of: index) else {
        throw .corrupted("a node of a B+ tree miscounts the elements of its children")
      }
    }
    return inner.total
  }
}
