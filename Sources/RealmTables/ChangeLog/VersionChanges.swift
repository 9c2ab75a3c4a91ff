// SPDX-License-Identifier: Apache-2.0

// The changes between two versions of a file.

/// The changes of all tables between two versions, combined from the changesets in between.
package struct VersionChanges: Sendable, Equatable {
  /// The tables in which an object came, went or changed, in the order of their first change.
  package private(set) var tables: [TableChanges] = []
  /// Whether a table or column was added, removed or renamed.
  package internal(set) var schemaChanged = false
  /// Whether a table was removed; what became of its objects is not said.
  package private(set) var removedTables = false

  private var positions: [TableKey: Int] = [:]

  package init() {}

  /// Whether nothing happened.
  package var isEmpty: Bool { !schemaChanged && tables.allSatisfy(\.isEmpty) }

  /// The changes of one table; nil if none of its objects changed.
  package subscript(table: TableKey) -> TableChanges? {
    guard let position = positions[table], !tables[position].isEmpty else { return nil }
    return tables[position]
  }

  /// Whether an object of the table came, went or changed.
  package func hasChanges(of table: TableKey) -> Bool {
    guard let position = positions[table] else { return false }
    return !tables[position].isEmpty
  }

  package static func == (left: VersionChanges, right: VersionChanges) -> Bool {
    let keys = Set(left.positions.keys).union(right.positions.keys)
    return left.schemaChanged == right.schemaChanged
      && keys.allSatisfy { left[$0] == right[$0] }
  }

  /// The position in `tables` of a table's changes, made where there are none.
  mutating func position(of table: TableKey) -> Int {
    if let position = positions[table] { return position }
    tables.append(TableChanges(table: table))
    positions[table] = tables.count - 1
    return tables.count - 1
  }

  @inline(__always)
  mutating func edit(_ position: Int, _ body: (inout TableChanges) -> Void) {
    body(&tables[position])
  }

  /// The table went, and all its objects with it.
  mutating func forget(_ table: TableKey) {
    removedTables = true
    guard let position = positions[table] else { return }
    tables[position] = TableChanges(table: table)
  }
}
