// SPDX-License-Identifier: Apache-2.0

// UUIDs, nullable or not.

/// A leaf of UUIDs: elements of 16 bytes in blocks of eight (`FixedBytes`).
package enum UUIDLeaf: Leaf {
  package typealias Value = Bytes16?

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try FixedBytes<Bytes16>.make(in: allocator)
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try FixedBytes<Bytes16>.count(of: try space.node(at: ref))
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Bytes16? {
    try FixedBytes<Bytes16>.value(at: index, of: try space.node(at: ref))
  }

  package static func insert(
    _ value: Bytes16?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try FixedBytes.insert(value, at: index, in: ref, allocator)
  }

  package static func set(
    _ value: Bytes16?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try FixedBytes.set(value, at: index, in: ref, allocator)
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try FixedBytes<Bytes16>.remove(at: index, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try FixedBytes<Bytes16>.split(ref, at: index, allocator)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try FixedBytes<Bytes16>.append(other, to: ref, allocator)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    try FixedBytes<Bytes16>.validate(try space.node(at: ref))
  }
}
