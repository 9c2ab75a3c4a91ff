// SPDX-License-Identifier: Apache-2.0

// The form of identifiers.

/// Hexadecimal digits.
enum HexDigits {
  static let all = Array("0123456789abcdef")

  /// Whether a text is an identifier as `RandomBytes.identifier()` makes them.
  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 24 && text.allSatisfy { all.contains($0) }
  }
}
