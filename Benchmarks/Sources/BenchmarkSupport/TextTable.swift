// SPDX-License-Identifier: Apache-2.0

// A table as aligned text.

/// Lines of cells, the first of which is the header. The first column is set left, the others
/// right.
package struct TextTable {
  private let lines: [[String]]

  package init(_ lines: [[String]]) { self.lines = lines }

  package func text(asMarkdown: Bool) -> String {
    guard let header = lines.first else { return "" }
    let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    let padded = lines.map { line in
      zip(line, widths).enumerated().map { column, cell in
        let space = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + space : space + cell.0
      }
    }
    guard asMarkdown else {
      return padded.map { $0.joined(separator: "  ") }.joined(separator: "\n")
    }
    let rule = "| --- |" + String(repeating: " ---: |", count: header.count - 1)
    let rows = padded.map { "| " + $0.joined(separator: " | ") + " |" }
    return ([rows[0], rule] + rows.dropFirst()).joined(separator: "\n")
  }
}
