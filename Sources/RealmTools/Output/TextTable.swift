// SPDX-License-Identifier: Apache-2.0

// Rows as tables for people.

/// Draws tables as psql does.
package enum TextTable {
  /// The table of a header and rows with as many cells.
  package static func text(_ header: [String], _ rows: [[String]]) -> String {
    var widths = header.map { TextWidth.of($0) }
    for row in rows {
      for (index, cell) in row.enumerated() where index < widths.count {
        widths[index] = max(widths[index], TextWidth.of(cell))
      }
    }
    let border = "+" + widths.map { String(repeating: "-", count: $0 + 2) + "+" }.joined() + "\n"
    func line(_ cells: [String]) -> String {
      "|"
        + zip(cells, widths).map { " " + TextWidth.padded($0, columns: $1) + " |" }.joined() + "\n"
    }
    return border + line(header) + border + rows.map(line).joined() + (rows.isEmpty ? "" : border)
  }

  /// A number of things: "1 object", "2 objects".
  package static func count(_ count: Int, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
  }
}
