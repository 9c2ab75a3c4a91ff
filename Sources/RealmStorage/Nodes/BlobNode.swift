// SPDX-License-Identifier: Apache-2.0

// Nodes of bytes, and chains of them for values that do not fit one node.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Operations on blobs (file format 4.4.6).
package enum BlobNode {
  /// The most bytes of one blob; longer values are chains of full blobs and a last one.
  package static let maximumByteCount = 0xFF_FFF0

  /// A new blob of the given bytes and `terminator` zero bytes.
  package static func make(
    _ bytes: ByteView, terminator: Int = 0, reserving: Int = 0, in allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    let count = bytes.count + terminator
    guard count <= maximumByteCount else {
      throw .limitExceeded(
        "A value of \(bytes.count) bytes exceeds the limit of \(maximumByteCount - terminator)")
    }
    let node = try allocator.allocate(
      NodeHeader(flags: [], layout: .bytes, widthCode: 1, count: count), capacity: reserving)
    if let start = unsafe bytes.bytes.baseAddress {
      unsafe node.payload.copyMemory(from: start, byteCount: bytes.count)
    }
    for index in 0..<terminator {
      unsafe node.payload.storeBytes(of: 0, toByteOffset: bytes.count + index, as: UInt8.self)
    }
    return node
  }

  /// A blob, or a chain of blobs if the bytes need it.
  package static func makeChain(
    _ bytes: ByteView, in allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    if bytes.count <= maximumByteCount { return try make(bytes, in: allocator).ref }
    var pieces: [Int64] = []
    var start = 0
    while start < bytes.count {
      let end = min(start + maximumByteCount, bytes.count)
      let piece = unsafe ByteView(UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<end]))
      pieces.append(try make(piece, in: allocator).ref.slot)
      start = end
    }
    return try IntegerNode.make(pieces, flags: [.hasRefs, .context], in: allocator).ref
  }

  /// The node at `ref`, if it is one blob.
  @inline(__always)
  package static func checked(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Node {
    let node = try space.node(at: ref)
    guard !node.header.hasRefs, node.header.layout == .bytes else {
      throw .corrupted("a blob was expected at \(ref.offset)")
    }
    return node
  }

  /// A copy of the bytes of a blob or a chain.
  package static func bytes(of ref: Ref, in space: NodeSpace) throws(StorageError) -> [UInt8] {
    let node = try space.node(at: ref)
    guard node.header.hasRefs else { return unsafe Array(try checked(ref, in: space).bytes) }
    guard node.header.hasContext else {
      throw .corrupted("a chain of blobs was expected at \(ref.offset)")
    }
    var bytes: [UInt8] = []
    for index in 0..<node.count {
      unsafe bytes += try checked(try node.ref(at: index), in: space).bytes
    }
    return bytes
  }

  /// The number of bytes in a chain of blobs.
  package static func chainByteCount(of ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    let node = try space.node(at: ref)
    guard node.header.hasRefs, node.header.hasContext else {
      throw .corrupted("a chain of blobs was expected at \(ref.offset)")
    }
    var byteCount = 0
    for index in 0..<node.count {
      byteCount += try checked(try node.ref(at: index), in: space).count
    }
    return byteCount
  }

  /// Replaces `range` of a blob by bytes and `terminator` zero bytes.
  ///
  /// - Returns: where the blob is now.
  package static func replace(
    _ range: Range<Int>, in ref: Ref, with bytes: ByteView, terminator: Int = 0,
    _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try checked(ref, in: allocator.space)
    guard range.lowerBound >= 0, range.upperBound <= old.count else {
      throw .elementOutOfBounds(range.upperBound, in: old)
    }
    let inserted = bytes.count + terminator
    let count = old.count - range.count + inserted
    guard count <= NodeHeader.maximumCount else {
      throw .limitExceeded("A leaf of \(count) bytes exceeds the limit of the file format")
    }
    let tail = old.count - range.upperBound
    if allocator.isWritable(ref), allocator.mutableNode(at: ref).capacityByteCount >= count {
      let node = allocator.mutableNode(at: ref)
      if tail > 0, inserted != range.count {
        unsafe memmove(
          node.payload + range.lowerBound + inserted, node.payload + range.upperBound, tail)
      }
      fill(node, at: range.lowerBound, bytes, terminator: terminator)
      node.setCount(count)
      return ref
    }
    let header = NodeHeader(flags: [], layout: .bytes, widthCode: 1, count: count)
    // Double what is there, so that appending to a leaf is amortised constant.
    let room = allocator.isWritable(ref) ? count * 2 : count + 64
    let new = try allocator.allocate(header, capacity: min(room, maximumByteCount))
    unsafe new.payload.copyMemory(from: old.payload, byteCount: range.lowerBound)
    unsafe (new.payload + range.lowerBound + inserted).copyMemory(
      from: old.payload + range.upperBound, byteCount: tail)
    fill(new, at: range.lowerBound, bytes, terminator: terminator)
    try allocator.free(ref)
    return new.ref
  }

  @inline(__always)
  static func fill(_ node: MutableNode, at offset: Int, _ bytes: ByteView, terminator: Int) {
    if let start = unsafe bytes.bytes.baseAddress {
      unsafe (node.payload + offset).copyMemory(from: start, byteCount: bytes.count)
    }
    for index in 0..<terminator {
      unsafe node.payload.storeBytes(
        of: 0, toByteOffset: offset + bytes.count + index, as: UInt8.self)
    }
  }
}
