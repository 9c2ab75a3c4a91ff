// SPDX-License-Identifier: Apache-2.0

// Rows as lines of CSV (RFC 4180).

#if Tools
/// Writes rows of CSV.
package enum CSVText {
  /// A line of cells without its end; nil is an empty cell, an empty text a quoted one.
  ///
  /// - Parameter hasFormulas: Whether texts with the look of formulas are written as they are;
  ///   otherwise they have an apostrophe in front.
  package static func line(
    _ cells: [String?], separator: Character = ",", hasFormulas: Bool = false
  ) -> String {
    cells.map { cell in
      cell.map { quoted(!hasFormulas && isFormula($0) ? "'" + $0 : $0, separator) } ?? ""
    }.joined(separator: String(separator))
  }

  /// Whether a spreadsheet would take a text for a formula, or for a safe one: with an apostrophe
  /// more, or less, each text is another one.
  private static func isFormula(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first(where: { $0 != "'" }) else { return false }
    switch first {
    case "=", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}": return true
    // Numbers stay as they are.
    case "+", "-": return text.hasPrefix("'") || Double(text) == nil
    default: return false
    }
  }

  /// The text of a cell with `line`'s apostrophe in front.
  static func withoutGuard(_ text: String) -> String {
    text.hasPrefix("'") && isFormula(String(text.dropFirst())) ? String(text.dropFirst()) : text
  }

  private static func quoted(_ text: String, _ separator: Character) -> String {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0 != "\"" && $0 != "\n" && $0 != "\r" && Character($0) != separator
    }
    if isPlain, !text.isEmpty, text.first != " ", text.last != " " { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
#endif
