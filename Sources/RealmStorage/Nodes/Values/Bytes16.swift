// SPDX-License-Identifier: Apache-2.0

// The value of a UUID, in two numbers.

/// Sixteen bytes in the order in which they are printed: a UUID.
@frozen @usableFromInline
package struct Bytes16: Hashable, Sendable, Comparable {
  /// The first eight bytes as a big-endian number.
  @usableFromInline package var high: UInt64
  /// The last eight bytes as a big-endian number.
  @usableFromInline package var low: UInt64

  @inlinable
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  @inlinable
  package static func < (left: Bytes16, right: Bytes16) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

extension Bytes16: FixedBytesElement {
  package static let byteCount = 16

  /// All bytes zero.
  @inlinable package static var zero: Bytes16 { Bytes16(high: 0, low: 0) }

  package init(loadingFrom source: UnsafeRawPointer) {
    self.init(
      high: UInt64(bigEndian: source.loadUnaligned(as: UInt64.self)),
      low: UInt64(bigEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
  }

  package func store(to target: UnsafeMutableRawPointer) {
    target.storeBytes(of: high.bigEndian, as: UInt64.self)
    target.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
  }
}
