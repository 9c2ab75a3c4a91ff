// SPDX-License-Identifier: Apache-2.0

// The values of object IDs and UUIDs, each in two numbers.

/// The bytes of an object ID: twelve, in the order in which they are printed.
@usableFromInline package typealias Bytes12 = FixedBytes<UInt32>
/// The bytes of a UUID: sixteen, in the order in which they are printed.
@usableFromInline package typealias Bytes16 = FixedBytes<UInt64>

/// Eight bytes and those of `Low`, in the order in which they are printed.
@frozen @usableFromInline
package struct FixedBytes<Low: FixedWidthInteger & UnsignedInteger & Sendable>:
  Hashable, Sendable, Comparable
{
  /// The first eight bytes as a big-endian number.
  @usableFromInline package var high: UInt64
  /// The other bytes as a big-endian number.
  @usableFromInline package var low: Low

  @inlinable
  package init(high: UInt64, low: Low) {
    self.high = high
    self.low = low
  }

  /// All bytes zero.
  @inlinable package static var zero: FixedBytes { FixedBytes(high: 0, low: 0) }

  @inlinable
  package static func == (left: FixedBytes, right: FixedBytes) -> Bool {
    left.high == right.high && left.low == right.low
  }

  @inlinable
  package static func < (left: FixedBytes, right: FixedBytes) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension FixedBytes {
  @inlinable static var byteCount: Int { 8 &+ MemoryLayout<Low>.size }

  @inlinable @inline(__always)
  init(loadingFrom source: UnsafeRawPointer) {
    unsafe self.init(
      high: UInt64(bigEndian: source.loadUnaligned(as: UInt64.self)),
      low: Low(bigEndian: source.loadUnaligned(fromByteOffset: 8, as: Low.self)))
  }

  @inlinable @inline(__always)
  func store(to target: UnsafeMutableRawPointer) {
    unsafe target.storeBytes(of: high.bigEndian, as: UInt64.self)
    unsafe target.storeBytes(of: low.bigEndian, toByteOffset: 8, as: Low.self)
  }
}
