// SPDX-License-Identifier: Apache-2.0

// Bytes and numbers as hexadecimal digits.

/// Conversion of bytes and numbers to and from hexadecimal digits.
package enum HexadecimalText {
  /// The lower digits of a number, as many as asked for.
  package static func text(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// Two digits for each byte.
  package static func text(_ bytes: [UInt8]) -> String {
    bytes.map { text(UInt64($0), digits: 2) }.joined()
  }

  /// The number that the digits are; nil if another character is among them.
  package static func value(_ text: Substring) -> UInt64? {
    guard !text.isEmpty, text.utf8.count <= 16,
      text.allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return nil }
    return UInt64(text, radix: 16)
  }

  /// The bytes of pairs of digits; nil for other texts.
  package static func bytes(_ text: String) -> [UInt8]? {
    let digits = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
