// SPDX-License-Identifier: Apache-2.0

// Texts of users in the output of commands.

#if Server
/// Texts that a terminal shows and does not obey.
package enum PlainText {
  /// A name as a part of a line: what would end the line, move the cursor or turn the direction of
  /// writing is written as its number.
  package static func name(_ text: String) -> String { shown(text, keepsLines: false) }

  /// Lines of an answer.
  package static func lines(_ text: String) -> String { shown(text, keepsLines: true) }

  private static func shown(_ text: String, keepsLines: Bool) -> String {
    guard text.unicodeScalars.contains(where: { isHidden($0, keepsLines) }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if isHidden(scalar, keepsLines) {
        result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  private static func isHidden(_ scalar: Unicode.Scalar, _ keepsLines: Bool) -> Bool {
    switch scalar.properties.generalCategory {
    case .control: !(keepsLines && scalar == "\n")
    // Marks of direction, and others that are not seen; joiners are parts of letters.
    case .format: scalar.value != 0x200C && scalar.value != 0x200D
    case .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
#endif
