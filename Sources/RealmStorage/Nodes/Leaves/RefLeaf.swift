// SPDX-License-Identifier: Apache-2.0

// Refs of what an object owns: the collections of a collection column.

/// A leaf of refs, one collection an object, null where it is empty or was never used.
///
/// Replacing or removing an element frees the tree it owns; `replace` stores the new root of a tree
/// that has merely moved.
@usableFromInline
package enum RefLeaf: PackedLeaf {
  @usableFromInline
  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerNode.make(flags: .hasRefs, in: allocator).ref
  }

  @inlinable
  package static func value(at index: Int, of node: Node) throws(StorageError) -> Ref {
    try node.ref(at: index)
  }

  @inlinable
  package static func stored(_ value: Ref) -> Int64 { value.slot }

  @inlinable
  package static func zero(isNullable: Bool) -> Ref { .null }

  @usableFromInline
  package static func set(
    _ value: Ref, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try self.value(at: index, of: ref, in: allocator.space)
    if old != value { try allocator.freeTree(old) }
    return try replace(value, at: index, in: ref, allocator)
  }

  /// Stores where an element's tree is now, without freeing anything.
  package static func replace(
    _ value: Ref, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.set(value.slot, at: index, in: ref, allocator)
  }

  @usableFromInline
  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try allocator.freeTree(try value(at: index, of: ref, in: allocator.space))
    return try IntegerNode.remove(at: index, from: ref, allocator)
  }

  @usableFromInline
  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    let node = try IntegerNode.checked(ref, in: space)
    guard node.header.hasRefs || node.count == 0 else {
      throw .corrupted("a leaf of collections at \(ref.offset) does not hold refs")
    }
  }
}
