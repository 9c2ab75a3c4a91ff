// SPDX-License-Identifier: Apache-2.0

// Editing one element of a B+ tree where it lies.

extension BTree {
  /// Replaces the leaf that holds element `index` by what `edit` makes of it, given the element's
  /// position in the leaf. The number of elements stays the same.
  package static func update(
    at index: Int, in root: Ref, _ allocator: NodeAllocator, depth: Int = 0,
    _ edit: (_ leaf: Ref, _ position: Int) throws(StorageError) -> Ref
  ) throws(StorageError) -> Ref {
    let node = try allocator.node(at: root)
    guard node.header.isInner else { return try edit(root, index) }
    guard depth < BTreeLimits.maximumDepth else { throw .corrupted("a B+ tree does not end") }
    let (child, start) = try BTreeInner.child(holding: index, of: node, in: allocator.space)
    let old = try node.ref(at: child + 1)
    let new = try update(at: index - start, in: old, allocator, depth: depth + 1, edit)
    return new == old ? root : try IntegerNode.set(new.slot, at: child + 1, in: root, allocator)
  }
}
