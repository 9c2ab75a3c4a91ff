// SPDX-License-Identifier: Apache-2.0

// Added classes and properties ahead of the changeset.

import RealmTables

/// The additions to the schema, waiting for the primary keys of their classes: tables get these
/// after their columns.
struct PendingSchema {
  /// An added column.
  struct AddedColumn: Equatable {
    let table: TableKey
    let column: ColumnKey
  }

  private(set) var tables: [TableKey] = []
  private(set) var columns: [AddedColumn] = []

  var isEmpty: Bool { tables.isEmpty && columns.isEmpty }

  func contains(_ table: TableKey) -> Bool { tables.contains(table) }

  mutating func add(_ table: TableKey) { tables.append(table) }

  mutating func add(_ column: ColumnKey, to table: TableKey) {
    columns.append(AddedColumn(table: table, column: column))
  }

  /// Forgets a class with its properties; false if it was not waiting.
  mutating func remove(_ table: TableKey) -> Bool {
    columns.removeAll { $0.table == table }
    guard let index = tables.firstIndex(of: table) else { return false }
    tables.remove(at: index)
    return true
  }

  /// Forgets a property; false if it was not waiting.
  mutating func remove(_ column: ColumnKey, from table: TableKey) -> Bool {
    guard let index = columns.firstIndex(of: AddedColumn(table: table, column: column)) else {
      return false
    }
    columns.remove(at: index)
    return true
  }
}
