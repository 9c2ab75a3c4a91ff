// SPDX-License-Identifier: Apache-2.0

// Where a row of a database is: it has no lines.

#if Tools
/// A row of a table of SQLite, as messages name it.
struct TableRow: Sendable {
  let table: String
  /// The column of the primary key, and its value; nil for a table without one column for it.
  var key: (column: String, value: SQLiteDatabase.Value)?
  /// The place of the row among those of its table, counted from 1.
  let number: Int

  /// The table and the key, or the place.
  var text: String {
    guard let key else { return "table '\(table)', row \(number)" }
    return "table '\(table)', \(key.column) \(SQLiteSource.shown(key.value))"
  }
}
#endif
