// SPDX-License-Identifier: Apache-2.0

// The columns of one table, decoded once and shared by all versions that have the same.

/// The columns of a table, and the kind of its objects.
///
/// Immutable; versions whose stored schema is equal share one instance, so that caches above can
/// compare identity in place of equality.
@usableFromInline
package final class TableSchema: Sendable {
  package let key: TableKey
  package let name: String
  package let kind: TableKind
  /// The public columns in spec order.
  package let columns: [Column]
  /// The columns that hold backlinks, in spec order.
  package let backlinkColumns: [Column]
  package let primaryKey: Column?
  /// All columns by leaf index; nil where no column has that index.
  package let columnsByLeafIndex: [Column?]
  /// Whether any column stores positions in a leaf of distinct strings.
  package let hasEnumeratedColumns: Bool
  /// The columns that do.
  package let enumeratedColumns: [Column]
  /// What an insertion needs to know of them.
  let enumeratedLeaves: [(index: Int, isNullable: Bool)]

  let hasPrimaryKey: Bool
  /// The leaf index of the primary key if it is an integer that is never null and has an index.
  let integerKeyLeaf: Int?
  /// The leaf index of the primary key if it is a string and has an index.
  let stringKeyLeaf: Int?
  /// Whether a column other than the primary key has an index.
  let hasSecondaryIndexes: Bool

  package init(
    key: TableKey, name: String, kind: TableKind, columns: [Column], backlinkColumns: [Column]
  ) {
    self.key = key
    self.name = name
    self.kind = kind
    self.columns = columns
    self.backlinkColumns = backlinkColumns
    let primaryKey = columns.first { $0.isPrimaryKey }
    self.primaryKey = primaryKey
    hasPrimaryKey = primaryKey != nil
    let indexedKey = primaryKey.flatMap { $0.hasIndex && !$0.isFullText ? $0 : nil }
    integerKeyLeaf = indexedKey.flatMap { $0.leafKind == .int ? $0.leafIndex : nil }
    stringKeyLeaf = indexedKey.flatMap { $0.leafKind == .string ? $0.leafIndex : nil }
    hasSecondaryIndexes = columns.contains { $0.hasIndex && !$0.isPrimaryKey }
    enumeratedColumns = columns.filter { $0.isEnumerated }
    enumeratedLeaves = enumeratedColumns.map { ($0.leafIndex, $0.isNullable) }
    hasEnumeratedColumns = !enumeratedColumns.isEmpty
    let all = columns + backlinkColumns
    var byLeaf = [Column?](repeating: nil, count: (all.map(\.leafIndex).max() ?? -1) + 1)
    for column in all { byLeaf[column.leafIndex] = column }
    columnsByLeafIndex = byLeaf
  }

  /// The position of the public column called `name`.
  package func position(ofColumn name: String) -> Int? {
    // Most names differ in their lengths, which is seen at once.
    let byteCount = name.utf8.count
    return columns.indices.first {
      columns[$0].name.utf8.count == byteCount && columns[$0].name == name
    }
  }

  /// The public column called `name`.
  package func column(named name: String) -> Column? {
    position(ofColumn: name).map { columns[$0] }
  }

  /// The column, public or backlink, with that key.
  package func column(_ key: ColumnKey) -> Column? {
    let index = key.leafIndex
    guard index < columnsByLeafIndex.count, let column = columnsByLeafIndex[index],
      column.key == key
    else { return nil }
    return column
  }

  /// The backlink column for links from `column` of `table` to this table.
  package func backlinkColumn(from table: TableKey, _ column: ColumnKey) -> Column? {
    backlinkColumns.first { $0.targetTable == table && $0.oppositeColumn == column }
  }

  /// The class that the table stores, if it is a class's table.
  package var className: String? {
    name.hasPrefix("class_") ? String(name.dropFirst(6)) : nil
  }

  /// The name of the class, or of a table without one.
  package var displayName: String { className ?? name }
}

extension TableSchema: Equatable {
  @usableFromInline
  package static func == (left: TableSchema, right: TableSchema) -> Bool {
    left === right
      || left.key == right.key && left.name == right.name && left.kind == right.kind
        && left.columns == right.columns && left.backlinkColumns == right.backlinkColumns
  }
}
