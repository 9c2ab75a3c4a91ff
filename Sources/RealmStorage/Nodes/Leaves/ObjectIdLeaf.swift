// SPDX-License-Identifier: Apache-2.0

// Object IDs, nullable or not.

/// A leaf of object IDs: elements of 12 bytes in blocks of eight (`FixedBytes`).
package enum ObjectIdLeaf: Leaf {
  package typealias Value = Bytes12?

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try FixedBytes<Bytes12>.make(in: allocator)
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try FixedBytes<Bytes12>.count(of: try space.node(at: ref))
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Bytes12? {
    try FixedBytes<Bytes12>.value(at: index, of: try space.node(at: ref))
  }

  package static func insert(
    _ value: Bytes12?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try FixedBytes.insert(value, at: index, in: ref, allocator)
  }

  package static func set(
    _ value: Bytes12?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try FixedBytes.set(value, at: index, in: ref, allocator)
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try FixedBytes<Bytes12>.remove(at: index, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try FixedBytes<Bytes12>.split(ref, at: index, allocator)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try FixedBytes<Bytes12>.append(other, to: ref, allocator)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    try FixedBytes<Bytes12>.validate(try space.node(at: ref))
  }
}
