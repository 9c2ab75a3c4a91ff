// SPDX-License-Identifier: Apache-2.0

// The 16 bytes of a UUID.

/// A UUID as two big-endian numbers, a value without storage of its own.
package struct UUIDBits: Hashable, Sendable {
  /// Bytes 0 to 7.
  package var high: UInt64
  /// Bytes 8 to 15.
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}
