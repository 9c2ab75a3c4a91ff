// SPDX-License-Identifier: Apache-2.0

// A node of the running write transaction.

/// A writable node in the slab.
///
/// Invariant: only `NodeAllocator` makes these; the node belongs to the allocator's transaction and
/// `capacityByteCount` bytes after the header are writable.
@frozen @usableFromInline
@safe
package struct MutableNode {
  @usableFromInline package let ref: Ref
  /// The first byte of the header.
  @usableFromInline package let address: UnsafeMutableRawPointer

  @inlinable @inline(__always)
  package init(ref: Ref, address: UnsafeMutableRawPointer) {
    self.ref = ref
    unsafe self.address = unsafe address
  }

  @inlinable @inline(__always)
  package var payload: UnsafeMutableRawPointer { unsafe address + NodeHeader.byteCount }

  @inlinable @inline(__always)
  package var header: NodeHeader { unsafe NodeHeader(bits: address.load(as: UInt64.self)) }

  @inlinable @inline(__always)
  package var count: Int { header.count }

  /// The read-only view of the node as it is now.
  @inlinable @inline(__always)
  package var node: Node { unsafe Node(address: UnsafeRawPointer(address), header: header) }

  /// The number of bytes that may be written after the header.
  @inlinable @inline(__always)
  package var capacityByteCount: Int {
    let units = unsafe address.load(as: UInt32.self) & 0xFF_FFFF
    return Int(units) &* 8 &- NodeHeader.byteCount
  }

  /// Changes the number of elements only.
  @inlinable @inline(__always)
  package func setCount(_ count: Int) {
    assert(count >= 0 && count <= NodeHeader.maximumCount, "a count that no header holds")
    let size = UInt64(count).byteSwapped &>> 40
    let bits = unsafe address.load(as: UInt64.self) & 0xFF_FFFF_FFFF
    unsafe address.storeBytes(of: bits | size &<< 40, as: UInt64.self)
    assert(header.payloadByteCount <= capacityByteCount)
  }

  /// Sets or clears a flag.
  @inlinable
  package func setFlag(_ flag: NodeFlags, _ on: Bool) {
    let old = header
    var flags = old.flags
    if on { flags.insert(flag) } else { flags.remove(flag) }
    let bits = old.bits & ~(0xE0 &<< 32) | UInt64(flags.rawValue) &<< 32
    unsafe address.storeBytes(of: bits, as: UInt64.self)
  }

  /// Marks this node as one that the next transactions are likely to replace, for the commit.
  ///
  /// To be called last: changes of the header may take the mark away.
  package func markShortLived() {
    unsafe address.storeBytes(of: NodeHeader.shortLivedMark, toByteOffset: 3, as: UInt8.self)
  }

  /// Overwrites element `index` of a node of packed integers; `value` must fit the width.
  @inlinable @inline(__always)
  package func store(_ value: Int64, at index: Int) {
    let header = header
    assert(index < header.count && header.layout == .bits)
    unsafe PackedIntegers.store(value, to: payload, widthCode: header.widthCode, at: index)
  }
}
