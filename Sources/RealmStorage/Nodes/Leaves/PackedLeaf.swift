// SPDX-License-Identifier: Apache-2.0

// Leaves that are one node of packed integers, an integer for each element.

/// A leaf that is one node of packed integers.
///
/// A conforming type maps elements to integers; the operations are the same for all of them. A type
/// with owned elements replaces the freeing operations.
@usableFromInline
package protocol PackedLeaf: Leaf {
  /// The element at `index` of a leaf whose node is at hand.
  static func value(at index: Int, of node: Node) throws(StorageError) -> Value

  /// The integer that represents an element.
  static func stored(_ value: Value) -> Int64
}

extension PackedLeaf {
  @inlinable
  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerNode.make(in: allocator).ref
  }

  @inlinable
  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try space.node(at: ref).count
  }

  @inlinable
  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Value {
    try value(at: index, of: try space.node(at: ref))
  }

  @inlinable
  package static func insert(
    _ value: Value, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.insert(stored(value), at: index, in: ref, allocator)
  }

  @inlinable
  package static func set(
    _ value: Value, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.set(stored(value), at: index, in: ref, allocator)
  }

  @inlinable
  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.remove(at: index, from: ref, allocator)
  }

  @inlinable
  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try IntegerNode.split(ref, at: index, allocator)
  }

  @inlinable
  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.append(contentsOf: other, to: ref, allocator)
  }

  @inlinable
  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    try IntegerNode.validate(ref, in: space)
  }
}
