// SPDX-License-Identifier: Apache-2.0

// Texts without any effect on a terminal but their appearance.
//
// 1. All output for people, and all output on a terminal, passes through here, in `ByteSink`: names
//    and values of a file are written by others.

#if Tools
/// Makes texts safe for terminals, and marks our own colours.
package enum TerminalText {
  /// The styles of our own texts.
  ///
  /// They are characters in a text, reserved by Unicode for programs (U+FDD0 and following), and
  /// become escape sequences where the text goes to a terminal. So a value cannot have any effect
  /// but a colour.
  package enum Style: UInt32, CaseIterable {
    case plain = 0xFDD0
    case bold, red, green, yellow, cyan

    fileprivate var sequence: String {
      switch self {
      case .plain: "\u{1B}[0m"
      case .bold: "\u{1B}[1m"
      case .red: "\u{1B}[31m"
      case .green: "\u{1B}[32m"
      case .yellow: "\u{1B}[33m"
      case .cyan: "\u{1B}[36m"
      }
    }

    fileprivate var mark: Unicode.Scalar { Unicode.Scalar(rawValue) ?? " " }
  }

  /// A text in a style.
  package static func styled(_ text: String, _ style: Style) -> String {
    var result = String.UnicodeScalarView()
    result.append(style.mark)
    result.append(contentsOf: text.unicodeScalars)
    result.append(Style.plain.mark)
    return String(result)
  }

  /// Whether a character can move the cursor, change the terminal or the order of other characters.
  package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A: false
    // C0 and C1, among them ESC and its one-byte form CSI.
    case 0..<0x20, 0x7F..<0xA0: true
    // Marks of direction, and foreign separators of lines and paragraphs.
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    // The marks of styles.
    case 0xFDD0...0xFDEF: true
    default: false
    }
  }

  /// A text whose unsafe characters are spelled as in Swift: `\u{1b}`.
  ///
  /// - Parameter hasStyles: Whether the marks of styles become escape sequences.
  package static func safe(_ text: String, hasStyles: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if !isUnsafe(scalar) {
        result.unicodeScalars.append(scalar)
      } else if hasStyles, let style = Style(rawValue: scalar.value) {
        result += style.sequence
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
    return result
  }
}
#endif
