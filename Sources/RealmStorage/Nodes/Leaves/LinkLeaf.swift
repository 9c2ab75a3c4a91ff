// SPDX-License-Identifier: Apache-2.0

// Single links: object key plus one, 0 for null.

/// A leaf of single links (file format, part 4, section 8.1).
///
/// Links to tombstones are negative keys; they are given out as they are.
package enum LinkLeaf: Leaf {
  package typealias Value = Int64?

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerLeaf.make(in: allocator)
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try IntegerLeaf.count(ref, in: space)
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Int64? {
    let stored = try IntegerLeaf.value(at: index, of: ref, in: space)
    return stored == 0 ? nil : stored &- 1
  }

  package static func insert(
    _ value: Int64?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.insert(stored(value), at: index, in: ref, allocator)
  }

  package static func set(
    _ value: Int64?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.set(stored(value), at: index, in: ref, allocator)
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

  private static func stored(_ key: Int64?) -> Int64 { key.map { $0 &+ 1 } ?? 0 }
}
