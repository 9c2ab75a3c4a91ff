// SPDX-License-Identifier: Apache-2.0

// Booleans: 0 is false, 1 is true, 3 is null.

/// A leaf of booleans, nullable or not (file format, part 4, section 2.3).
package enum BoolLeaf: Leaf {
  package typealias Value = Bool?

  private static let null: Int64 = 3

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerLeaf.make(in: allocator)
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try IntegerLeaf.count(ref, in: space)
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Bool? {
    let stored = try IntegerLeaf.value(at: index, of: ref, in: space)
    return stored == null ? nil : stored != 0
  }

  package static func insert(
    _ value: Bool?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.insert(stored(value), at: index, in: ref, allocator)
  }

  package static func set(
    _ value: Bool?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
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
    let node = try space.node(at: ref)
    for index in 0..<node.count where ![0, 1, null].contains(node.uncheckedInteger(at: index)) {
      throw .corrupted("a leaf of booleans at \(ref.offset) holds another number")
    }
  }

  private static func stored(_ value: Bool?) -> Int64 {
    value.map { $0 ? 1 : 0 } ?? null
  }
}
