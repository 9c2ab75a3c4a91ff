// SPDX-License-Identifier: Apache-2.0

// Binaries: as strings, without terminators and without the short form.

/// A leaf of binaries, nullable or not (file format 4.4.4).
///
/// The history tree uses it too, and so do internal tables; what these hold may be chains of blobs,
/// which `bytes(at:of:in:)` reads.
package enum BinaryLeaf: Leaf {
  package typealias Value = ByteView?

  package static func zero(isNullable: Bool) -> ByteView? { isNullable ? nil : .empty }

  private static let smallLimit = 64

  package static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    try MediumBlobs.make(in: allocator)
  }

  package static func count(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Int {
    let node = try outer(ref, in: space)
    return node.header.hasContext ? node.count : try MediumBlobs.count(node, in: space)
  }

  package static func value(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> ByteView? {
    try view(at: index, of: try outer(ref, in: space), in: space)
  }

  /// The element at `index` of a leaf whose outer node is at hand.
  package static func view(
    at index: Int, of node: Node, in space: NodeSpace
  ) throws(StorageError) -> ByteView? {
    node.header.hasContext
      ? try BigBlobs.value(at: index, of: node, terminator: 0, in: space)
      : try MediumBlobs.value(at: index, of: node, terminator: 0, in: space)
  }

  /// A copy of the element at `index`, whether it is one blob or a chain.
  package static func bytes(
    at index: Int, of ref: Ref, in space: NodeSpace
  ) throws(StorageError) -> [UInt8]? {
    let node = try outer(ref, in: space)
    guard node.header.hasContext else {
      return try MediumBlobs.value(at: index, of: node, terminator: 0, in: space).map {
        unsafe Array($0.bytes)
      }
    }
    let blob = try node.ref(at: index)
    return blob.isNull ? nil : try BlobNode.bytes(of: blob, in: space)
  }

  package static func insert(
    _ value: ByteView?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try allocator.withOutside(value) { (value) throws(StorageError) -> Ref in
      let (ref, isBig) = try prepared(ref, for: value, allocator)
      return isBig
        ? try BigBlobs.insert(value, at: index, in: ref, terminator: 0, allocator)
        : try MediumBlobs.insert(value, at: index, in: ref, terminator: 0, allocator)
    }
  }

  package static func set(
    _ value: ByteView?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try allocator.withOutside(value) { (value) throws(StorageError) -> Ref in
      let (ref, isBig) = try prepared(ref, for: value, allocator)
      return isBig
        ? try BigBlobs.set(value, at: index, in: ref, terminator: 0, allocator)
        : try MediumBlobs.set(value, at: index, in: ref, terminator: 0, allocator)
    }
  }

  package static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try outer(ref, in: allocator.space).header.hasContext
      ? try BigBlobs.remove(at: index, from: ref, allocator)
      : try MediumBlobs.remove(at: index, from: ref, allocator)
  }

  package static func split(
    _ ref: Ref, at index: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Ref) {
    if try outer(ref, in: allocator.space).header.hasContext {
      return try IntegerNode.split(ref, at: index, allocator)
    }
    var moved = try make(in: allocator)
    for position in index..<max(index, try count(ref, in: allocator.space)) {
      let value = try value(at: position, of: ref, in: allocator.space)
      moved = try insert(value, at: position - index, in: moved, allocator)
    }
    return (try MediumBlobs.truncate(to: index, ref, allocator), moved)
  }

  package static func append(
    _ other: Ref, to ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let source = try outer(other, in: allocator.space)
    var ref = ref
    var position = try count(ref, in: allocator.space)
    if source.header.hasContext, try outer(ref, in: allocator.space).header.hasContext {
      return try IntegerNode.append(contentsOf: other, to: ref, allocator)
    }
    for index in 0..<(try count(other, in: allocator.space)) {
      let copy = try bytes(at: index, of: other, in: allocator.space)
      guard let copy else {
        ref = try insert(nil, at: position, in: ref, allocator)
        position += 1
        continue
      }
      ref = try withView(of: copy) { view throws(StorageError) in
        try insert(view, at: position, in: ref, allocator)
      }
      position += 1
    }
    try allocator.freeTree(other)
    return ref
  }

  package static func validate(_ ref: Ref, in space: NodeSpace) throws(StorageError) {
    let node = try outer(ref, in: space)
    node.header.hasContext
      ? try BigBlobs.validate(node, terminator: 0, in: space)
      : try MediumBlobs.validate(node, terminator: 0, in: space)
  }

  private static func outer(_ ref: Ref, in space: NodeSpace) throws(StorageError) -> Node {
    let node = try space.node(at: ref)
    guard node.header.hasRefs else { throw .corrupted("a leaf of binaries is malformed") }
    return node
  }

  /// The leaf in a form that can take `value`; whether that is the big one.
  private static func prepared(
    _ ref: Ref, for value: ByteView?, _ allocator: NodeAllocator
  ) throws(StorageError) -> (Ref, Bool) {
    if try outer(ref, in: allocator.space).header.hasContext { return (ref, true) }
    if value?.count ?? 0 <= smallLimit { return (ref, false) }
    var new = try BigBlobs.make(in: allocator)
    for index in 0..<(try count(ref, in: allocator.space)) {
      let old = try self.value(at: index, of: ref, in: allocator.space)
      new = try BigBlobs.insert(old, at: index, in: new, terminator: 0, allocator)
    }
    try allocator.freeTree(ref)
    return (new, true)
  }
}

extension BTree where L == BinaryLeaf {
  /// Appends an element.
  static func append(
    _ bytes: [UInt8], to root: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    try withView(of: bytes) { view throws(StorageError) in try append(view, to: root, allocator) }
  }
}

/// Calls `body` with a view of `bytes` that is valid during the call.
package func withView<Result>(
  of bytes: [UInt8], _ body: (ByteView) throws(StorageError) -> Result
) throws(StorageError) -> Result {
  var outcome: Swift.Result<Result, StorageError>?
  unsafe bytes.withUnsafeBytes { buffer in
    do throws(StorageError) {
      outcome = unsafe .success(try body(ByteView(buffer)))
    } catch {
      outcome = .failure(error)
    }
  }
  guard let outcome else { throw .corrupted("a view of bytes was not made") }
  return try outcome.get()
}
