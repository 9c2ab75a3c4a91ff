// SPDX-License-Identifier: Apache-2.0

// The layout of a column in the clusters of its table, as the cluster editor needs it.

import RealmStorage

/// The layout of one column's leaves: their kind, and whether a new object's value is null.
struct LeafLayout: Hashable, Sendable {
  let kind: LeafKind
  /// Whether a new object's value is null.
  let isNullable: Bool

  init(kind: LeafKind, isNullable: Bool) {
    self.kind = kind
    self.isNullable = isNullable
  }

  init(_ column: Column) {
    kind = column.leafKind
    isNullable = column.isNullable
  }
}

// Operations that a cluster performs on all of its column leaves alike.

extension LeafLayout {
  /// A new leaf of `count` default values.
  func make(count: Int, in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try kind.visit(Making(count: count, isNullable: isNullable, allocator: allocator))
  }

  private struct Making: LeafVisitor {
    let count: Int
    let isNullable: Bool
    let allocator: NodeAllocator

    func visit<L: Leaf>(_ leaf: L.Type) throws(StorageError) -> Ref {
      var ref = try L.make(in: allocator)
      for index in 0..<count {
        ref = try L.insert(L.zero(isNullable: isNullable), at: index, in: ref, allocator)
      }
      return ref
    }
  }

  /// Inserts the value of a new object.
  @inline(__always)
  func insertDefault(
    at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try kind.visit(
      DefaultInsertion(index: index, ref: ref, isNullable: isNullable, allocator: allocator))
  }

  private struct DefaultInsertion: LeafVisitor {
    let index: Int
    let ref: Ref
    let isNullable: Bool
    let allocator: NodeAllocator

    @inline(__always)
    func visit<L: Leaf>(_ leaf: L.Type) throws(StorageError) -> Ref {
      try L.insert(L.zero(isNullable: isNullable), at: index, in: ref, allocator)
    }
  }

  /// Removes an element with everything it owns.
  func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try kind.visit(Removal(index: index, ref: ref, allocator: allocator))
  }

  private struct Removal: LeafVisitor {
    let index: Int
    let ref: Ref
    let allocator: NodeAllocator

    func visit<L: Leaf>(_ leaf: L.Type) throws(StorageError) -> Ref {
      try L.remove(at: index, from: ref, allocator)
    }
  }

  /// Moves the elements from `index` on to a new leaf.
  func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    try kind.visit(Split(index: index, ref: ref, allocator: allocator))
  }

  private struct Split: LeafVisitor {
    let index: Int
    let ref: Ref
    let allocator: NodeAllocator

    func visit<L: Leaf>(_ leaf: L.Type) throws(StorageError) -> (Ref, Ref) {
      try L.split(ref, at: index, allocator)
    }
  }

  /// Appends the elements of `other`, which is freed.
  func append(_ other: Ref, to ref: Ref, _ allocator: NodeAllocator) throws(StorageError) -> Ref {
    try kind.visit(Appending(other: other, ref: ref, allocator: allocator))
  }

  private struct Appending: LeafVisitor {
    let other: Ref
    let ref: Ref
    let allocator: NodeAllocator

    func visit<L: Leaf>(_ leaf: L.Type) throws(StorageError) -> Ref {
      try L.append(other, to: ref, allocator)
    }
  }
}
