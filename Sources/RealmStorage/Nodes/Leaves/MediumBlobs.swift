// SPDX-License-Identifier: Apache-2.0

// The form of string and binary leaves in which all values share one blob.

/// The medium form of strings and the small form of binaries (file format 4.4.2,
/// 4.4.4): `[offsets, blob, nulls]`, where `offsets[i]` is the end of value i in the blob.
///
/// Strings are followed by one zero byte, which the offsets count (`terminator` is 1); binaries are
/// not (`terminator` is 0).
enum MediumBlobs {
  static func make(in allocator: NodeAllocator) throws(StorageError) -> Ref {
    let offsets = try IntegerNode.make(in: allocator).ref.slot
    let blob = try BlobNode.make(.empty, in: allocator).ref.slot
    let nulls = try IntegerNode.make(in: allocator).ref.slot
    return try IntegerNode.make([offsets, blob, nulls], flags: .hasRefs, in: allocator).ref
  }

  /// The three parts of a leaf, sizes checked against each other.
  @inline(__always)
  static func parts(
    _ outer: Node, in space: NodeSpace
  ) throws(StorageError) -> (offsets: Node, blob: Node, nulls: Node) {
    guard outer.count == 3 else { throw .corrupted("a leaf of bytes does not have three parts") }
    let offsets = try IntegerNode.checked(try outer.ref(at: 0), in: space)
    let blob = try BlobNode.checked(try outer.ref(at: 1), in: space)
    let nulls = try IntegerNode.checked(try outer.ref(at: 2), in: space)
    guard offsets.count == nulls.count else {
      throw .corrupted("the parts of a leaf of bytes differ in length")
    }
    return (offsets, blob, nulls)
  }

  static func count(_ outer: Node, in space: NodeSpace) throws(StorageError) -> Int {
    guard outer.count == 3 else { throw .corrupted("a leaf of bytes does not have three parts") }
    return try space.node(at: try outer.ref(at: 0)).count
  }

  @inline(__always)
  static func value(
    at index: Int, of outer: Node, terminator: Int, in space: NodeSpace
  ) throws(StorageError) -> ByteView? {
    try value(at: index, of: try parts(outer, in: space), terminator: terminator)
  }

  /// A value of a leaf whose parts are at hand.
  @inline(__always)
  static func value(
    at index: Int, of parts: (offsets: Node, blob: Node, nulls: Node), terminator: Int
  ) throws(StorageError) -> ByteView? {
    let (offsets, blob, nulls) = parts
    guard UInt(bitPattern: index) < UInt(bitPattern: offsets.count) else {
      throw .elementOutOfBounds(index, in: offsets)
    }
    if nulls.uncheckedInteger(at: index) != 0 { return nil }
    let end = Int(offsets.uncheckedInteger(at: index))
    let start = index == 0 ? 0 : Int(offsets.uncheckedInteger(at: index &- 1))
    guard start >= 0, end <= blob.count, start <= end, end &- start >= terminator else {
      throw .offsetsOutOfOrder()
    }
    return unsafe ByteView(start: blob.payload + start, count: end &- start &- terminator)
  }

  private static func range(of index: Int, _ offsets: Node) throws(StorageError) -> (Int, Int) {
    let end = Int(try offsets.integer(at: index))
    return (index == 0 ? 0 : Int(offsets.uncheckedInteger(at: index - 1)), end)
  }

  static func insert(
    _ value: ByteView?, at index: Int, in ref: Ref, terminator: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let outer = try allocator.makeWritable(ref)
    let (offsets, _, _) = try parts(outer.node, in: allocator.space)
    guard index >= 0, index <= offsets.count else { throw .elementOutOfBounds(index, in: offsets) }
    if index == offsets.count,
      storeLastInPlace(value, at: index, in: outer, terminator: terminator, allocator)
    {
      return outer.ref
    }
    let start = index == 0 ? 0 : Int(offsets.uncheckedInteger(at: index - 1))
    guard start >= 0, start <= NodeHeader.maximumCount else {
      throw .offsetsOutOfOrder()
    }
    let byteCount = (value?.count ?? 0) + terminator
    let blob = try BlobNode.replace(
      start..<start, in: try outer.node.ref(at: 1), with: value ?? .empty, terminator: terminator,
      allocator)
    var ends = try IntegerNode.insert(
      Int64(start + byteCount), at: index, in: try outer.node.ref(at: 0), allocator)
    ends = try shift(ends, from: index + 1, by: byteCount, allocator)
    let nulls = try IntegerNode.insert(
      value == nil ? 1 : 0, at: index, in: try outer.node.ref(at: 2), allocator)
    return store(ends, blob, nulls, in: outer)
  }

  /// Appends a value to a leaf whose parts are writable and have room for it.
  ///
  /// - Returns: whether that was so; nothing has changed otherwise.
  static func append(
    _ value: ByteView?, at index: Int, to outer: MutableNode, terminator: Int,
    _ allocator: NodeAllocator
  ) -> Bool {
    let slots = outer.node
    guard slots.count == 3, slots.header.layout == .bits else { return false }
    // Only nodes in the slab are read here, and nothing is assumed of these.
    let offsets = Ref(Int(slots.uncheckedInteger(at: 0)))
    let blob = Ref(Int(slots.uncheckedInteger(at: 1)))
    let nulls = Ref(Int(slots.uncheckedInteger(at: 2)))
    guard allocator.isWritable(offsets), allocator.isWritable(blob), allocator.isWritable(nulls),
      isList(allocator.mutableNode(at: offsets), of: index),
      isList(allocator.mutableNode(at: nulls), of: index),
      allocator.mutableNode(at: blob).header.layout == .bytes
    else { return false }
    return storeLastInPlace(value, at: index, in: outer, terminator: terminator, allocator)
  }

  @inline(__always)
  private static func isList(_ node: MutableNode, of count: Int) -> Bool {
    node.header.layout == .bits && node.count == count
  }

  /// Appends a value, or replaces the last one, where all three parts are writable and have room
  /// for it and the last value ends with the blob.
  ///
  /// - Returns: whether that was so; nothing has changed otherwise.
  @inline(__always)
  private static func storeLastInPlace(
    _ value: ByteView?, at index: Int, in outer: MutableNode, terminator: Int,
    _ allocator: NodeAllocator
  ) -> Bool {
    // `parts` has checked that the three slots hold refs of nodes.
    let slots = outer.node
    let offsetsRef = Ref(Int(slots.uncheckedInteger(at: 0)))
    let blobRef = Ref(Int(slots.uncheckedInteger(at: 1)))
    let nullsRef = Ref(Int(slots.uncheckedInteger(at: 2)))
    guard allocator.isWritable(offsetsRef), allocator.isWritable(blobRef),
      allocator.isWritable(nullsRef)
    else { return false }
    let offsets = allocator.mutableNode(at: offsetsRef)
    let blob = allocator.mutableNode(at: blobRef)
    let nulls = allocator.mutableNode(at: nullsRef)
    let blobEnd = Int64(blob.count)
    let start = index == 0 ? 0 : offsets.node.uncheckedInteger(at: index &- 1)
    let oldEnd = index == offsets.count ? start : offsets.node.uncheckedInteger(at: index)
    guard oldEnd == blobEnd, start >= 0, start <= blobEnd else { return false }
    let end = Int(start) &+ (value?.count ?? 0) &+ terminator
    let isNull: Int64 = value == nil ? 1 : 0
    guard end <= min(blob.capacityByteCount, BlobNode.maximumByteCount),
      hasRoom(offsets, for: Int64(end), at: index), hasRoom(nulls, for: isNull, at: index)
    else { return false }
    BlobNode.fill(blob, at: Int(start), value ?? .empty, terminator: terminator)
    blob.setCount(end)
    offsets.setCount(index &+ 1)
    offsets.store(Int64(end), at: index)
    nulls.setCount(index &+ 1)
    nulls.store(isNull, at: index)
    return true
  }

  @inline(__always)
  private static func hasRoom(_ node: MutableNode, for value: Int64, at index: Int) -> Bool {
    let header = node.header
    return PackedIntegers.widthCode(for: value) <= header.widthCode
      && ((index &+ 1) &* header.width &+ 7) &>> 3 <= node.capacityByteCount
  }

  static func set(
    _ value: ByteView?, at index: Int, in ref: Ref, terminator: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let outer = try allocator.makeWritable(ref)
    let (offsets, _, _) = try parts(outer.node, in: allocator.space)
    if index >= 0, index == offsets.count - 1,
      storeLastInPlace(value, at: index, in: outer, terminator: terminator, allocator)
    {
      return outer.ref
    }
    let (start, end) = try checkedRange(of: index, offsets)
    let byteCount = (value?.count ?? 0) + terminator
    let blob = try BlobNode.replace(
      start..<end, in: try outer.node.ref(at: 1), with: value ?? .empty, terminator: terminator,
      allocator)
    let ends = try shift(
      try outer.node.ref(at: 0), from: index, by: byteCount - (end - start), allocator)
    let nulls = try IntegerNode.set(
      value == nil ? 1 : 0, at: index, in: try outer.node.ref(at: 2), allocator)
    return store(ends, blob, nulls, in: outer)
  }

  static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let outer = try allocator.makeWritable(ref)
    let (offsets, _, _) = try parts(outer.node, in: allocator.space)
    let (start, end) = try checkedRange(of: index, offsets)
    let blob = try BlobNode.replace(
      start..<end, in: try outer.node.ref(at: 1), with: .empty, allocator)
    var ends = try IntegerNode.remove(at: index, from: try outer.node.ref(at: 0), allocator)
    ends = try shift(ends, from: index, by: start - end, allocator)
    let nulls = try IntegerNode.remove(at: index, from: try outer.node.ref(at: 2), allocator)
    return store(ends, blob, nulls, in: outer)
  }

  static func truncate(
    to count: Int, _ ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let outer = try allocator.makeWritable(ref)
    let (offsets, blob, _) = try parts(outer.node, in: allocator.space)
    guard count >= 0, count <= offsets.count else { throw .elementOutOfBounds(count, in: offsets) }
    let end = count == 0 ? 0 : Int(offsets.uncheckedInteger(at: count - 1))
    guard end >= 0, end <= blob.count else {
      throw .offsetsOutOfOrder()
    }
    let kept = try BlobNode.replace(
      end..<blob.count, in: try outer.node.ref(at: 1), with: .empty, allocator)
    let ends = try IntegerNode.truncate(to: count, try outer.node.ref(at: 0), allocator)
    let nulls = try IntegerNode.truncate(to: count, try outer.node.ref(at: 2), allocator)
    return store(ends, kept, nulls, in: outer)
  }

  static func validate(_ outer: Node, terminator: Int, in space: NodeSpace) throws(StorageError) {
    let (offsets, blob, nulls) = try parts(outer, in: space)
    var previous = 0
    for index in 0..<offsets.count {
      let end = Int(offsets.uncheckedInteger(at: index))
      let isNull = nulls.uncheckedInteger(at: index) != 0
      guard end >= previous + (isNull ? 0 : terminator), end <= blob.count else {
        throw .offsetsOutOfOrder()
      }
      previous = end
    }
  }

  // MARK: Parts

  private static func checkedRange(
    of index: Int, _ offsets: Node
  ) throws(StorageError) -> (Int, Int) {
    let (start, end) = try range(of: index, offsets)
    guard start >= 0, start <= end, end <= NodeHeader.maximumCount else {
      throw .offsetsOutOfOrder()
    }
    return (start, end)
  }

  private static func shift(
    _ offsets: Ref, from index: Int, by change: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    guard change != 0 else { return offsets }
    return try IntegerNode.add(Int64(change), from: index, in: offsets, allocator)
  }

  private static func store(
    _ offsets: Ref, _ blob: Ref, _ nulls: Ref, in outer: MutableNode
  ) -> Ref {
    // The outer node was made writable and so has 64-bit slots, or was made with them.
    outer.store(offsets.slot, at: 0)
    outer.store(blob.slot, at: 1)
    outer.store(nulls.slot, at: 2)
    return outer.ref
  }
}
