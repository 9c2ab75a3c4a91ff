// SPDX-License-Identifier: Apache-2.0

// Reading a B+ tree leaf by leaf.

/// Walks the leaves of a B+ tree in order.
///
/// Each leaf costs one descent, which pays where it has many elements.
package struct BTreeLeafCursor<L: Leaf> {
  private let root: Ref
  private let space: NodeSpace
  private let elementCount: Int
  private var position = 0

  package init(_ root: Ref, in space: NodeSpace) throws(StorageError) {
    self.root = root
    self.space = space
    elementCount = try BTree<L>.count(root, in: space)
  }

  /// The next leaf, the index of its first element and its number of elements; nil at the end.
  package mutating func next() throws(StorageError) -> (leaf: Ref, firstIndex: Int, count: Int)? {
    let first = position
    guard first < elementCount else { return nil }
    let (leaf, offset) = try BTree<L>.leaf(containing: first, of: root, in: space)
    let count = leaf == root ? elementCount : try L.count(leaf, in: space)
    guard offset == 0, count > 0 else {
      throw .corrupted("the leaves of a B+ tree have more or fewer elements than it counts")
    }
    position += count
    return (leaf, first, count)
  }
}
