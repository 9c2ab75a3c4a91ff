// SPDX-License-Identifier: Apache-2.0

// A useless row of an import.

#if Tools
package import RealmFormats

/// A row of an imported file with an error, and its position.
package struct BadRow: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file, if several are imported together.
  package private(set) var file: String?
  package let line: Int
  /// The character of the line, counted from 1; nil where only the property is known.
  package let column: Int?
  package let property: String?
  /// The table and the key of a row of a database; nil for lines of a file.
  package private(set) var tableRow: String?
  package let reason: String

  package init(line: Int, column: Int? = nil, property: String? = nil, _ reason: String) {
    self.line = line
    self.column = column
    self.property = property
    self.reason = reason
  }

  /// The row of a file of several.
  func `in`(_ file: String?) -> BadRow {
    var row = self
    row.file = file
    return row
  }

  /// The row of a database.
  func `in`(_ row: TableRow?) -> BadRow {
    guard let row else { return self }
    var bad = self
    bad.tableRow = row.text
    return bad
  }

  package var description: String {
    let place = tableRow ?? "line \(line)" + (column.map { ", column \($0)" } ?? "")
    return (file.map { "\($0), " } ?? "") + place + (property.map { " (\($0))" } ?? "")
      + ": \(reason)"
  }

  /// The row for programs.
  package var json: JSONValue {
    [
      "file": JSONValue(file), "line": .integer(Int64(line)),
      "column": JSONValue(column),
      "property": JSONValue(property), "row": JSONValue(tableRow), "reason": .string(reason),
    ]
  }
}
#endif
