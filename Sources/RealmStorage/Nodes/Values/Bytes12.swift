// SPDX-License-Identifier: Apache-2.0

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
