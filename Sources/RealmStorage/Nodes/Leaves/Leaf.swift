// SPDX-License-Identifier: Apache-2.0

// The operations of every kind of leaf.

/// A leaf: a node, with the nodes below it, that holds values of one type.
///
/// The same leaves hold the columns of a cluster and the elements of a B+ tree. A leaf is known by
/// the ref of its outer node; the operations are static, so that nothing is allocated for it. Edits
/// return the ref under which the leaf is found afterwards, and free what is replaced.
///
/// Which leaf type reads a node is decided by the column, never by the node alone. Every operation
/// throws `StorageError.corrupted` where the bytes contradict the type.
///
/// - SeeAlso: file format 4.1.
@usableFromInline
package protocol Leaf {
  /// The type of the elements; views in it live until the next change of the transaction.
  associatedtype Value

  /// The element that needs no bytes of its own: null where the column takes it, else a zero or
  /// something empty.
  static func zero(isNullable: Bool) -> Value

  /// A new leaf without elements.
  static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref

  /// The number of elements.
  static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int

  /// The element at `index`.
  static func value(at index: Int, of ref: Ref, in space: NodeSpace) throws(StorageError) -> Value

  /// Inserts before element `index`; `index == count` appends, in place where there is room.
  static func insert(
    _ value: Value, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref

  /// Replaces the element at `index`, and frees what the old one owned.
  static func set(
    _ value: Value, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref

  /// Removes the element at `index`, and frees what it owned.
  static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref

  /// Moves the elements from `index` on to a new leaf.
  ///
  /// - Returns: the leaf of those that stay, and of those that moved.
  static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref)

  /// Appends all elements of `other`, which is freed.
  static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref

  /// Checks form, flags and sizes of all nodes of the leaf.
  static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError)
}

extension Leaf {
  /// Appends element by element, for leaves whose elements lie in their own nodes.
  @inlinable
  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    var ref = ref
    var position = try count(ref, in: allocator.space)
    for index in 0..<(try count(other, in: allocator.space)) {
      let value = try value(at: index, of: other, in: allocator.space)
      ref = try insert(value, at: position, in: ref, allocator)
      position += 1
    }
    try allocator.freeTree(other)
    return ref
  }
}
