// SPDX-License-Identifier: Apache-2.0

// A node whose header has been checked against the bounds of its address space.

/// A read-only view of one node in mapped memory.
///
/// Invariants:
/// 1. A `Node` is only made by `NodeSpace.node(at:)` or by the allocator. These have checked that
///    header and payload lie inside memory mapped as long as the snapshot or transaction of the
///    space. The owner of a `Node` keeps the space alive.
/// 2. Elements are addressed below `count`. `integer(at:)` checks, `uncheckedInteger(at:)` does
///    not and is for loops over a range that was checked once.
@frozen @usableFromInline
@safe
package struct Node: @unchecked Sendable {
  // Sendable: the bytes of a committed node never change; the bytes of a slab node are only
  // reachable through the transaction that owns them, which is confined.

  /// The first byte of the header.
  @usableFromInline package let address: UnsafeRawPointer
  @usableFromInline package let header: NodeHeader

  @inlinable @inline(__always)
  package init(address: UnsafeRawPointer, header: NodeHeader) {
    unsafe self.address = unsafe address
    self.header = header
  }

  @inlinable @inline(__always)
  package var count: Int { header.count }

  @inlinable @inline(__always)
  package var payload: UnsafeRawPointer { unsafe address + NodeHeader.byteCount }

  /// The payload without padding.
  @inlinable
  package var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(start: payload, count: header.payloadByteCount)
  }

  /// Element `index` of a node of packed integers.
  ///
  /// - Throws: `StorageError.corrupted` if the node is shorter.
  @inlinable @inline(__always)
  package func integer(at index: Int) throws(StorageError) -> Int64 {
    guard UInt(bitPattern: index) < UInt(bitPattern: count), header.isBits else {
      try refuseElement(index)
    }
    return uncheckedInteger(at: index)
  }

  /// Element `index` of a node of packed integers.
  ///
  /// - Safety: `index` is below `count`, the layout is `.bits`.
  @inlinable @inline(__always)
  package func uncheckedInteger(at index: Int) -> Int64 {
    unsafe PackedIntegers.load(payload, widthCode: header.widthCode, at: index)
  }

  /// The ref in slot `index` of a has-refs node; null if the slot is empty.
  ///
  /// - Throws: `StorageError.corrupted` if the slot holds a number or does not exist.
  @inlinable @inline(__always)
  package func ref(at index: Int) throws(StorageError) -> Ref {
    guard UInt(bitPattern: index) < UInt(bitPattern: count) else { try refuseElement(index) }
    // Slots have 32 bits in the file, if it is shorter than 2 GiB, and 64 in a node that is edited.
    let slot: Int
    if header.isOfRefs(widthCode: 6) {
      slot = unsafe Int(payload.load(fromByteOffset: index &<< 2, as: Int32.self))
    } else if header.isOfRefs(widthCode: 7) {
      slot = unsafe payload.load(fromByteOffset: index &<< 3, as: Int.self)
    } else {
      return try narrowRef(at: index)
    }
    guard slot & 1 == 0 else { try refuseSlot(index) }
    return Ref(slot)
  }

  /// `ref(at:)` of a node of another width, as small files have.
  @usableFromInline @inline(never)
  func narrowRef(at index: Int) throws(StorageError) -> Ref {
    let slot = try integer(at: index)
    guard header.hasRefs, slot & 1 == 0 else { try refuseSlot(index) }
    return Ref(Int(slot))
  }

  // Thrown out of line, as by `NodeSpace`.

  /// Throws the error of an element that the node does not have.
  @usableFromInline @inline(never)
  package func refuseElement(_ index: Int) throws(StorageError) -> Never {
    throw StorageError.elementOutOfBounds(index, in: self)
  }

  @usableFromInline @inline(never)
  func refuseSlot(_ index: Int) throws(StorageError) -> Never {
    throw StorageError.slotIsNotARef(index, in: self)
  }

  /// The number in slot `index` of a has-refs node.
  ///
  /// - Throws: `StorageError.corrupted` if the slot holds a ref or does not exist.
  @inlinable
  package func taggedNumber(at index: Int) throws(StorageError) -> Int {
    guard let number = Tagged.number(try integer(at: index)) else {
      throw StorageError.slotIsNotANumber(index, in: self)
    }
    return number
  }
}
