// SPDX-License-Identifier: Apache-2.0

// Points in time, nullable or not.

/// A leaf of timestamps: a leaf of nullable seconds and a leaf of nanoseconds (file format 4.5).
package enum TimestampLeaf: Leaf {
  package typealias Value = Timestamp?

  package static func zero(isNullable: Bool) -> Timestamp? { isNullable ? nil : .zero }

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    let seconds = try NullableIntegerLeaf.make(in: allocator)
    let nanoseconds = try IntegerLeaf.make(in: allocator)
    return try IntegerNode.make(
      [seconds.slot, nanoseconds.slot], flags: .hasRefs, in: allocator
    ).ref
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    try NullableIntegerLeaf.count(try space.node(at: ref).ref(at: 0), in: space)
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> Timestamp? {
    let node = try space.node(at: ref)
    guard
      let seconds = try NullableIntegerLeaf.value(
        at: index, of: try space.node(at: try node.ref(at: 0)))
    else { return nil }
    let nanoseconds = try space.node(at: try node.ref(at: 1)).integer(at: index)
    guard nanoseconds > -1_000_000_000, nanoseconds < 1_000_000_000 else {
      throw StorageError.corrupted("a timestamp has \(nanoseconds) nanoseconds")
    }
    return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  package static func insert(
    _ value: Timestamp?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let outer = try outer(ref, allocator)
    let seconds = try NullableIntegerLeaf.insert(
      value?.seconds, at: index, in: try outer.node.ref(at: 0), allocator)
    outer.store(seconds.slot, at: 0)
    let nanoseconds = try IntegerNode.insert(
      Int64(value?.nanoseconds ?? 0), at: index, in: try outer.node.ref(at: 1), allocator)
    outer.store(nanoseconds.slot, at: 1)
    return outer.ref
  }

  package static func set(
    _ value: Timestamp?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let outer = try outer(ref, allocator)
    let seconds = try NullableIntegerLeaf.set(
      value?.seconds, at: index, in: try outer.node.ref(at: 0), allocator)
    outer.store(seconds.slot, at: 0)
    let nanoseconds = try IntegerNode.set(
      Int64(value?.nanoseconds ?? 0), at: index, in: try outer.node.ref(at: 1), allocator)
    outer.store(nanoseconds.slot, at: 1)
    return outer.ref
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let outer = try outer(ref, allocator)
    let seconds = try NullableIntegerLeaf.remove(
      at: index, from: try outer.node.ref(at: 0), allocator)
    outer.store(seconds.slot, at: 0)
    let nanoseconds = try IntegerNode.remove(
      at: index, from: try outer.node.ref(at: 1), allocator)
    outer.store(nanoseconds.slot, at: 1)
    return outer.ref
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    let outer = try outer(ref, allocator)
    let (seconds, movedSeconds) = try NullableIntegerLeaf.split(
      try outer.node.ref(at: 0), at: index, allocator)
    let (nanoseconds, movedNanoseconds) = try IntegerNode.split(
      try outer.node.ref(at: 1), at: index, allocator)
    outer.store(seconds.slot, at: 0)
    outer.store(nanoseconds.slot, at: 1)
    let moved = try IntegerNode.make(
      [movedSeconds.slot, movedNanoseconds.slot], flags: .hasRefs, in: allocator)
    return (outer.ref, moved.ref)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let outer = try outer(ref, allocator)
    let source = try allocator.node(at: other)
    let seconds = try NullableIntegerLeaf.append(
      try source.ref(at: 0), to: try outer.node.ref(at: 0), allocator)
    let nanoseconds = try IntegerNode.append(
      contentsOf: try source.ref(at: 1), to: try outer.node.ref(at: 1), allocator)
    outer.store(seconds.slot, at: 0)
    outer.store(nanoseconds.slot, at: 1)
    try allocator.free(other)
    return outer.ref
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    let node = try space.node(at: ref)
    try NullableIntegerLeaf.validate(try node.ref(at: 0), in: space)
    try IntegerLeaf.validate(try node.ref(at: 1), in: space)
    let count = try count(ref, in: space)
    guard try space.node(at: try node.ref(at: 1)).count == count else {
      throw .corrupted("a leaf of timestamps has more seconds than nanoseconds, or fewer")
    }
    for index in 0..<count { _ = try value(at: index, of: ref, in: space) }
  }

  private static func outer(
    _ ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    let node = try IntegerNode.checked(ref, in: allocator.space)
    guard node.header.hasRefs, node.count == 2 else {
      throw .corrupted("a leaf of timestamps at \(ref.offset) does not have two parts")
    }
    return try allocator.makeWritable(ref)
  }
}
