// SPDX-License-Identifier: Apache-2.0

// The form of string leaves in which every value has a cell of the same few bytes.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The short form (file format 4.4.1): cells of 0, 1, 2, 4, 8 or 16 bytes.
///
/// A cell holds the bytes, zeros, and in its last byte how many zeros; null is the cell width
/// there. In a leaf of width 0 every value is null.
enum ShortStrings {
  /// The longest string of the form.
  static let maximumByteCount = 15

  static func value(at index: Int, of node: Node) throws(StorageError) -> ByteView? {
    guard node.header.layout == .multiply, index >= 0, index < node.count else {
      throw .elementOutOfBounds(index, in: node)
    }
    let width = node.header.width
    guard width > 0 else { return nil }
    let cell = unsafe node.payload + index &* width
    let padding = unsafe Int(cell.load(fromByteOffset: width &- 1, as: UInt8.self))
    if padding >= width {
      guard padding == width else { throw .corrupted("a cell of short strings is malformed") }
      return nil
    }
    return unsafe ByteView(start: cell, count: width &- 1 &- padding)
  }

  /// The code of the narrowest cell that holds the value.
  static func widthCode(for value: ByteView?) -> Int {
    guard let value else { return 0 }
    return PackedIntegers.bitWidth(of: value.count) + 1
  }

  /// Appends a value to a leaf of this form, if it is wide enough and has room.
  ///
  /// - Returns: whether that was so; nothing has changed otherwise.
  @inline(__always)
  static func append(_ value: ByteView?, at index: Int, to node: MutableNode) -> Bool {
    let header = node.header
    let width = header.width
    guard header.layout == .multiply, index == header.count, (value?.count ?? 0) < width,
      (index &+ 1) &* width <= node.capacityByteCount
    else { return false }
    node.setCount(index &+ 1)
    fill(node, at: index, value)
    return true
  }

  static func insert(
    _ value: ByteView?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try allocator.node(at: ref)
    let count = old.count
    guard index >= 0, index <= count else { throw .elementOutOfBounds(index, in: old) }
    let node = try grown(ref, toHold: value, count: count + 1, allocator)
    let width = node.header.width
    node.setCount(count + 1)
    if index < count {
      unsafe memmove(
        node.payload + (index + 1) * width, node.payload + index * width, (count - index) * width)
    }
    fill(node, at: index, value)
    return node.ref
  }

  static func set(
    _ value: ByteView?, at index: Int, in ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let old = try allocator.node(at: ref)
    guard index >= 0, index < old.count else { throw .elementOutOfBounds(index, in: old) }
    let node = try grown(ref, toHold: value, count: old.count, allocator)
    fill(node, at: index, value)
    return node.ref
  }

  static func remove(
    at index: Int, from ref: Ref, _ allocator: NodeAllocator
  ) throws(StorageError) -> Ref {
    let node = try allocator.makeWritable(ref)
    let count = node.count
    guard index >= 0, index < count else { throw .elementOutOfBounds(index, in: node.node) }
    let width = node.header.width
    unsafe memmove(
      node.payload + index * width, node.payload + (index + 1) * width, (count - index - 1) * width
    )
    node.setCount(count - 1)
    return ref == node.ref ? ref : node.ref
  }

  static func validate(_ node: Node) throws(StorageError) {
    guard node.header.layout == .multiply, node.header.width <= 16 else {
      throw .corrupted("a leaf of short strings has another layout")
    }
    for index in 0..<node.count { _ = try value(at: index, of: node) }
  }

  @inline(__always)
  private static func fill(_ node: MutableNode, at index: Int, _ value: ByteView?) {
    let width = node.header.width
    guard width > 0 else { return }
    let cell = unsafe node.payload + index * width
    switch width {
    case 16:
      unsafe cell.storeBytes(of: 0, as: UInt64.self)
      unsafe cell.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
    case 8: unsafe cell.storeBytes(of: 0, as: UInt64.self)
    default: unsafe memset(cell, 0, width)
    }
    guard let value else {
      unsafe cell.storeBytes(of: UInt8(width), toByteOffset: width - 1, as: UInt8.self)
      return
    }
    if let start = unsafe value.bytes.baseAddress {
      unsafe cell.copyMemory(from: start, byteCount: value.count)
    }
    unsafe cell.storeBytes(
      of: UInt8(width - 1 - value.count), toByteOffset: width - 1, as: UInt8.self)
  }

  /// A writable leaf of the same values whose cells hold `value` too and that has room for `count`.
  private static func grown(
    _ ref: Ref, toHold value: ByteView?, count: Int, _ allocator: NodeAllocator
  ) throws(StorageError) -> MutableNode {
    let old = try allocator.node(at: ref)
    guard old.header.layout == .multiply else {
      throw .corrupted("a leaf of short strings was expected at \(ref.offset)")
    }
    try allocator.space.requirePossibleCount(of: old, at: ref)
    let code = max(old.header.widthCode, widthCode(for: value))
    let writable = allocator.isWritable(ref)
    let header = NodeHeader(flags: [], layout: .multiply, widthCode: code, count: old.count)
    let needed = count * header.width
    if writable, code == old.header.widthCode,
      needed <= allocator.mutableNode(at: ref).capacityByteCount
    {
      return allocator.mutableNode(at: ref)
    }
    let new = try allocator.allocate(header, capacity: writable ? needed * 2 : needed + 32)
    if code == old.header.widthCode {
      unsafe new.payload.copyMemory(from: old.payload, byteCount: old.header.payloadByteCount)
    } else {
      for index in 0..<old.count { fill(new, at: index, try self.value(at: index, of: old)) }
    }
    try allocator.free(ref)
    return new
  }
}

extension PackedIntegers {
  /// The number of bits that `value`, which is not negative, needs.
  @inline(__always)
  static func bitWidth(of value: Int) -> Int { Int.bitWidth - value.leadingZeroBitCount }
}
