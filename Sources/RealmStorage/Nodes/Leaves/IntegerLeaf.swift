// SPDX-License-Identifier: Apache-2.0

// Integers that are not nullable, and what is stored as such.

/// A leaf of integers: one node of packed integers (file format, part 4, section 2.1).
///
/// Also the elements of lists and sets of links, which are unshifted object keys (section 8.2).
package enum IntegerLeaf: Leaf {
  package typealias Value = Int64

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerNode.make(in: allocator).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try space.node(at: ref).count
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Int64 {
    try space.node(at: ref).integer(at: index)
  }

  package static func insert(
    _ value: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.insert(value, at: index, in: ref, allocator)
  }

  package static func set(
    _ value: Int64, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.set(value, at: index, in: ref, allocator)
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.remove(at: index, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try IntegerNode.split(ref, at: index, allocator)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.append(contentsOf: other, to: ref, allocator)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    try IntegerNode.validate(ref, in: space)
  }
}
