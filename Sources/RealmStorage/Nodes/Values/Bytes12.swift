// SPDX-License-Identifier: Apache-2.0

// The value of an object ID, in two numbers.

/// Twelve bytes in the order in which they are printed: an object ID.
@frozen @usableFromInline
package struct Bytes12: Hashable, Sendable, Comparable {
  /// The first eight bytes as a big-endian number.
  @usableFromInline package var high: UInt64
  /// The last four bytes as a big-endian number.
  @usableFromInline package var low: UInt32

  @inlinable
  package init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  @inlinable
  package static func < (left: Bytes12, right: Bytes12) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}

extension Bytes12: FixedBytesElement {
  package static let byteCount = 12

  /// All bytes zero.
  @inlinable package static var zero: Bytes12 { Bytes12(high: 0, low: 0) }

  package init(loadingFrom source: UnsafeRawPointer) {
    self.init(
      high: UInt64(bigEndian: source.loadUnaligned(as: UInt64.self)),
      low: UInt32(bigEndian: source.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
  }

  package func store(to target: UnsafeMutableRawPointer) {
    target.storeBytes(of: high.bigEndian, as: UInt64.self)
    target.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt32.self)
  }
}
