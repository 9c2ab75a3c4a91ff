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
    case .rows(let header, let rows):
      if isJSON {
        for row in rows {
          let members = zip(header, row).map {
            JSONMember($0, JSONValue($1))
          }
          try sink.writeLine(JSONWriter.text(.object(members)))
        }
      } else {
        try sink.write(
          TextTable.text(
            header.map { CellText.shortened($0, limit: 40) },
            rows.map { $0.map { $0.map { CellText.shortened($0, limit: 40) } ?? "–" } }))
        try sink.writeLine(TextTable.count(rows.count, "object"))
      }
    }
    try sink.finish()
    return true
  }
}
#endif
