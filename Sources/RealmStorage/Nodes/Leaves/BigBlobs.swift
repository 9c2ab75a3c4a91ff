// SPDX-License-Identifier: Apache-2.0

// The form of string and binary leaves in which each value has a blob of its own.

/// The big form (file format 4.4.3, 4.4.4): one ref for each value, 0 for null.
enum BigBlobs {
  static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try IntegerNode.make(flags: [.hasRefs, .context], in: allocator).ref
  }

  static func value(
    at index: Int, of outer: Node, terminator: Int, in space: NodeSpace
  ) throws(StorageError) -> ByteView? {
    let ref = try outer.ref(at: index)
    if ref.isNull { return nil }
    let blob = try BlobNode.checked(ref, in: space)
    guard blob.count >= terminator else { throw .corrupted("a string lacks its terminator") }
    return unsafe ByteView(start: blob.payload, count: blob.count - terminator)
  }

  static func insert(
    _ value: ByteView?, at index: Int, in ref: Ref, terminator: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try IntegerNode.insert(
      try slot(for: value, terminator: terminator, allocator), at: index, in: ref, allocator)
  }

  static func set(
    _ value: ByteView?, at index: Int, in ref: Ref, terminator: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try allocator.node(at: ref).ref(at: index)
    let new = try slot(for: value, terminator: terminator, allocator)
    try allocator.freeTree(old)
    return try IntegerNode.set(new, at: index, in: ref, allocator)
  }

  static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try allocator.freeTree(try allocator.node(at: ref).ref(at: index))
    return try IntegerNode.remove(at: index, from: ref, allocator)
  }

  static func validate(_ outer: Node, terminator: Int, in space: NodeSpace) throws(StorageError) {
    for index in 0..<outer.count {
      let ref = try outer.ref(at: index)
      // Chains occur in binaries only: in the history, and in internal tables.
      if !ref.isNull, terminator == 0, try space.node(at: ref).header.hasRefs {
        _ = try BlobNode.bytes(of: ref, in: space)
      } else {
        _ = try value(at: index, of: outer, terminator: terminator, in: space)
      }
    }
  }

  private static func slot(
    for value: ByteView?, terminator: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Int64 {
    guard let value else { return 0 }
    if terminator == 0 { return try BlobNode.makeChain(value, in: allocator).slot }
    return try BlobNode.make(value, terminator: terminator, in: allocator).ref.slot
  }
}
