// SPDX-License-Identifier: Apache-2.0

// Hexadecimal digits as ObjectIds and UUIDs have them in text.

/// The text of 8 bytes or fewer as hexadecimal digits.
enum HexadecimalText {
  /// The lower digits of a number, as many as asked for.
  static func text(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The number that the digits are; nil if another character is among them.
  static func value(_ text: Substring) -> UInt64? {
    guard !text.isEmpty, text.utf8.count <= 16,
      text.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    return UInt64(text, radix: 16)
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
      let low = HexadecimalText.value(text.suffix(8))
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
      let low = HexadecimalText.value(digits.suffix(16))
    else { return nil }
    self.init(high: high, low: low)
  }
}
