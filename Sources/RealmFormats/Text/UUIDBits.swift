// SPDX-License-Identifier: Apache-2.0

// The 16 bytes of a UUID.

/// A UUID as two big-endian numbers, a value without storage of its own.
@frozen @usableFromInline
package struct UUIDBits: Hashable, Sendable {
  /// Bytes 0 to 7.
  @usableFromInline package var high: UInt64
  /// Bytes 8 to 15.
  @usableFromInline package var low: UInt64

  @inlinable
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  // Written out, as what the compiler adds could not be inlined in other modules.
  @inlinable
  package static func == (left: UUIDBits, right: UUIDBits) -> Bool {
    left.high == right.high && left.low == right.low
  }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }

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
