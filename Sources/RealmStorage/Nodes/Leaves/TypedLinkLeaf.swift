// SPDX-License-Identifier: Apache-2.0

// Links that say which table they lead to; no SDK makes columns of them.

/// A link to an object of some table.
@frozen @usableFromInline
package struct TypedLink: Hashable, Sendable {
  @usableFromInline package var table: Int64
  @usableFromInline package var key: Int64

  @inlinable
  package init(table: Int64, key: Int64) {
    self.table = table
    self.key = key
  }
}

/// A leaf of typed links: two integers each, both plus one, a 0 in the first for null (file format
/// 4.8.3).
package enum TypedLinkLeaf: Leaf {
  package typealias Value = TypedLink?

  package static func zero(isNullable: Bool) -> TypedLink? { nil }

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerNode.make(in: allocator).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    let count = try space.node(at: ref).count
    guard count & 1 == 0 else {
      throw StorageError.corrupted("a leaf of typed links has an odd number of integers")
    }
    return count / 2
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> TypedLink? {
    let node = try space.node(at: ref)
    guard index >= 0, index < node.count else { throw .elementOutOfBounds(index, in: node) }
    let key = try node.integer(at: 2 * index + 1)
    let table = node.uncheckedInteger(at: 2 * index)
    guard table >= 0, table <= 0x7FFF_FFFF else {
      throw StorageError.corrupted("a typed link leads to table \(table)")
    }
    return table == 0 ? nil : TypedLink(table: table - 1, key: key &- 1)
  }

  package static func insert(
    _ value: TypedLink?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let count = try count(ref, in: allocator.space)
    guard index >= 0, index <= count else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    let (table, key) = stored(value)
    let new = try IntegerNode.insert(table, at: 2 * index, in: ref, allocator)
    return try IntegerNode.insert(key, at: 2 * index + 1, in: new, allocator)
  }

  package static func set(
    _ value: TypedLink?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let count = try count(ref, in: allocator.space)
    guard index >= 0, index < count else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    let (table, key) = stored(value)
    let new = try IntegerNode.set(table, at: 2 * index, in: ref, allocator)
    return try IntegerNode.set(key, at: 2 * index + 1, in: new, allocator)
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let count = try count(ref, in: allocator.space)
    guard index >= 0, index < count else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    return try IntegerNode.remove(at: 2 * index, count: 2, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    let count = try count(ref, in: allocator.space)
    guard index >= 0, index <= count else {
      throw .elementOutOfBounds(index, in: try allocator.node(at: ref))
    }
    return try IntegerNode.split(ref, at: 2 * index, allocator)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.append(contentsOf: other, to: ref, allocator)
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    try IntegerNode.validate(ref, in: space)
    for index in 0..<(try count(ref, in: space)) { _ = try value(at: index, of: ref, in: space) }
  }

  private static func stored(_ value: TypedLink?) -> (Int64, Int64) {
    guard let value else { return (0, 0) }
    return ((value.table &+ 1) & 0x7FFF_FFFF, value.key &+ 1)
  }
}
