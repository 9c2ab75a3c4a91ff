// SPDX-License-Identifier: Apache-2.0

// Rows as lines of CSV (RFC 4180).

/// Writes rows of CSV.
package enum CSVText {
  /// A line of cells without its end; nil is an empty cell, an empty text a quoted one.
  package static func line(_ cells: [String?], separator: Character = ",") -> String {
    cells.map { cell in cell.map { quoted($0, separator) } ?? "" }
      .joined(separator: String(separator))
  }

  private static func quoted(_ text: String, _ separator: Character) -> String {
    let isPlain = text.unicodeScalars.allSatisfy {
      $0 != "\"" && $0 != "\n" && $0 != "\r" && Character($0) != separator
    }
    if isPlain, !text.isEmpty, text.first != " ", text.last != " " { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
