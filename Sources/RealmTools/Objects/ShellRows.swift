// SPDX-License-Identifier: Apache-2.0

// The rows of a statement, read one by one as they are printed.

#if Tools
import RealmQuery
import RealmStorage
import RealmTables

/// Rows below a header, to be read before the next statement.
package struct ShellRows {
  package let header: [String]
  package let count: Int
  private let row: (_ index: Int) throws -> [String?]?
  private let stop: StatementStop
  private let finish: () throws -> Void

  /// - Parameters:
  ///   - row: The cells of a row; nil if it is gone.
  ///   - finish: Called after the last row, for a check of what was read.
  init(
    header: [String], count: Int, stop: StatementStop,
    finish: @escaping () throws -> Void = {}, row: @escaping (_ index: Int) throws -> [String?]?
  ) {
    self.header = header
    self.count = count
    self.row = row
    self.stop = stop
    self.finish = finish
  }

  /// Calls `body` with each row.
  ///
  /// - Throws: `StatementStop.Stopped`, too.
  package func forEach(_ body: ([String?]) throws -> Void) throws {
    for index in 0..<count {
      try stop.check()
      if let cells = try row(index) { try body(cells) }
    }
    try finish()
  }

  /// All rows.
  package func all() throws -> [[String?]] {
    var rows: [[String?]] = []
    try forEach { rows.append($0) }
    return rows
  }
}
#endif
