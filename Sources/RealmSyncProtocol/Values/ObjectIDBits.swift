// SPDX-License-Identifier: Apache-2.0

// The 12 bytes of an ObjectId.

/// An ObjectId as two big-endian numbers, a value without storage of its own.
package struct ObjectIDBits: Hashable, Sendable {
  /// Bytes 0 to 7.
  package var high: UInt64
  /// Bytes 8 to 11.
  package var low: UInt32

  package init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }
}
