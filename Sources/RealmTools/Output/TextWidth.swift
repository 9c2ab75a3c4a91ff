// SPDX-License-Identifier: Apache-2.0

// How many columns of a terminal a text takes.

#if Tools
/// The widths of texts: letters of East Asia and pictures take two columns, marks none.
package enum TextWidth {
  /// The columns of a text on one line.
  package static func of(_ text: some StringProtocol) -> Int {
    if isPlain(text) { return text.utf8.count }
    return text.reduce(0) { $0 + of($1) }
  }

  /// Whether a text has only ASCII that is visible, of which each byte takes a column.
  static func isPlain(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  }

  /// The columns of a character of one or several scalars.
  package static func of(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // The mark for the picture of a character.
      if scalar.value == 0xFE0F { return 2 }
      width = max(width, of(scalar))
    }
    return width
  }

  private static func of(_ scalar: Unicode.Scalar) -> Int {
    if (0x20..<0x7F).contains(scalar.value) { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: break
    }
    if scalar.properties.isEmojiPresentation { return 2 }
    switch scalar.value {
    // Hangul; the scripts of China and Japan; their marks, forms and ideographs.
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60,
      0xFFE0...0xFFE6, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }

  /// As many characters as fit into `limit` columns.
  package static func prefix(_ text: String, columns limit: Int) -> String {
    var rest = limit
    return String(
      text.prefix { character in
        rest -= of(character)
        return rest >= 0
      })
  }

  /// A text with trailing spaces up to `count` columns.
  package static func padded(_ text: String, columns count: Int) -> String {
    text + String(repeating: " ", count: max(count - of(text), 0))
  }
}
#endif
