// SPDX-License-Identifier: Apache-2.0

// Results of the shell.

#if Tools
import RealmFormats
import RealmTools

/// Prints the results of statements.
struct ShellPrinter {
  let isJSON: Bool

  /// Prints an outcome; false if the shell ends.
  func print(_ outcome: ShellSession.Outcome) throws -> Bool {
    let sink = ByteSink(descriptor: 1, isForPeople: !isJSON)
    switch outcome {
    case .quit: return false
    case .nothing: return true
    case .message(let text):
      try sink.writeLine(
        isJSON
          ? JSONWriter.text(["message": .string(text)]) : text)
    case .rows(let rows):
      if isJSON {
        try rows.forEach { row in
          let members = zip(rows.header, row).map {
            JSONMember($0, JSONValue($1))
          }
          try sink.writeLine(JSONWriter.text(.object(members)))
        }
      } else {
        try writeTable(rows, to: sink)
      }
    }
    try sink.finish()
    return true
  }

  /// Prints a table as its rows are read; of one that is stopped what was read.
  private func writeTable(_ rows: ShellRows, to sink: ByteSink) throws {
    func cell(_ text: String?) -> String { text.map { CellText.shortened($0, limit: 40) } ?? "–" }
    var table = TextTable(rows.header.map(cell))
    do {
      try rows.forEach { row in
        try sink.write(table.add(row.map(cell)))
        if table.count == TextTable.measuredRowCount { try sink.flush() }
      }
    } catch let stopped as StatementStop.Stopped {
      try sink.write(table.finish())
      try sink.finish()
      throw stopped
    }
    try sink.write(table.finish())
    try sink.writeLine(TextTable.count(table.count, "object"))
  }
}
#endif
