// SPDX-License-Identifier: Apache-2.0

// The bytes of an ObjectId and of a UUID, and their texts.

/// An ObjectId: 12 bytes.
@usableFromInline package typealias ObjectIDBits = IDBits<UInt32>
/// A UUID: 16 bytes.
@usableFromInline package typealias UUIDBits = IDBits<UInt64>

/// An identifier as two big-endian numbers, a value without storage of its own.
@frozen @usableFromInline
package struct IDBits<Low: FixedWidthInteger & UnsignedInteger & Sendable>: Hashable, Sendable {
  /// Bytes 0 to 7.
  @usableFromInline package var high: UInt64
  /// The bytes from 8 on.
  @usableFromInline package var low: Low

  @inlinable
  package init(high: UInt64, low: Low) {
    self.high = high
    self.low = low
  }

  // Written out, as what the compiler adds could not be inlined in other modules.
  @inlinable
  package static func == (left: IDBits, right: IDBits) -> Bool {
    left.high == right.high && left.low == right.low
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension ObjectIDBits {
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

extension UUIDBits {
  /// The 32 digits in their five groups.
  package var text: String {
    var rest =
      (HexadecimalText.text(high, digits: 16) + HexadecimalText.text(low, digits: 16))[...]
    let groups = [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
    return groups.joined(separator: "-")
  }

  /// The UUID of five groups of digits.
  package init?(text: String) {
    let groups = text.split(separator: "-", omittingEmptySubsequences: false)
    guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    let digits = groups.joined()
    guard let high = HexadecimalText.value(digits.prefix(16)),
      let low = HexadecimalText.value(digits.dropFirst(16))
    else { return nil }
    self.init(high: high, low: low)
  }
}
