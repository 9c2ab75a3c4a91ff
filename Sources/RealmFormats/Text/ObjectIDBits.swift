// SPDX-License-Identifier: Apache-2.0

// The 12 bytes of an ObjectId.

/// An ObjectId as two big-endian numbers, a value without storage of its own.
@frozen @usableFromInline
package struct ObjectIDBits: Hashable, Sendable {
  /// Bytes 0 to 7.
  @usableFromInline package var high: UInt64
  /// Bytes 8 to 11.
  @usableFromInline package var low: UInt32

  @inlinable
  package init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  // Written out, as what the compiler adds could not be inlined in other modules.
  @inlinable
  package static func == (left: ObjectIDBits, right: ObjectIDBits) -> Bool {
    left.high == right.high && left.low == right.low
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }

  /// The 24 digits.
  package var text: String {
    HexadecimalText.text(high, digits: 16) + HexadecimalText.text(UInt64(low), digits: 8)
  }

  /// The ObjectId of 24 digits.
  package init?(text: String) {
    guard text.utf8.count == 24, let high = HexadecimalText.value(text.prefix(16)),
      let low = HexadecimalText.value(text.dropFirst(16))
    else { return nil }
    self.init(high: high, low: UInt32(truncatingIfNeeded: low))
  }
}
