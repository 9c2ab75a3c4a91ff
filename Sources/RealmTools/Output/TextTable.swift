// SPDX-License-Identifier: Apache-2.0

// Rows as tables for people.

#if Tools
/// Draws tables as psql does.
///
/// The widths of columns are those of the first rows, so that a table of any length is shown at
/// once and takes no memory; a later cell that is wider moves what is right of it.
package struct TextTable {
  /// How many rows are looked at before the first is drawn.
  package static let measuredRowCount = 1000

  private let header: [String]
  private var rows: [[String]] = []
  /// Nil until the first rows are drawn.
  private var widths: [Int]?
  /// How many rows were added.
  package private(set) var count = 0

  package init(_ header: [String]) { self.header = header }

  /// Adds a row with as many cells as the header, and gives what can be drawn: nothing at first.
  package mutating func add(_ row: [String]) -> String {
    count += 1
    if let widths { return Self.line(row, widths) }
    rows.append(row)
    return rows.count < Self.measuredRowCount ? "" : begin()
  }

  /// The rest of the table.
  package mutating func finish() -> String {
    let start = widths == nil ? begin() : ""
    return start + (count == 0 ? "" : Self.border(widths ?? []))
  }

  /// The header and the rows so far.
  private mutating func begin() -> String {
    var widths = header.map { TextWidth.of($0) }
    for row in rows {
      for (index, cell) in row.enumerated() where index < widths.count {
        widths[index] = max(widths[index], TextWidth.of(cell))
      }
    }
    self.widths = widths
    defer { rows = [] }
    let border = Self.border(widths)
    return border + Self.line(header, widths) + border
      + rows.map { Self.line($0, widths) }.joined()
  }

  private static func border(_ widths: [Int]) -> String {
    "+" + widths.map { String(repeating: "-", count: $0 + 2) + "+" }.joined() + "\n"
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = "|"
    for (cell, width) in zip(cells, widths) {
      line += " "
      line += TextWidth.padded(cell, columns: width)
      line += " |"
    }
    return line + "\n"
  }

  /// The table of a header and rows with as many cells.
  package static func text(_ header: [String], _ rows: [[String]]) -> String {
    var table = TextTable(header)
    return rows.map { table.add($0) }.joined() + table.finish()
  }

  /// A number of things: "1 object", "2 objects".
  package static func count(_ count: Int, _ thing: String) -> String {
    "\(count) \(thing)\(count == 1 ? "" : "s")"
  }
}
#endif
