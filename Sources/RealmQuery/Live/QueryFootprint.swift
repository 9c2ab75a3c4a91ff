// SPDX-License-Identifier: Apache-2.0

// The columns and tables that a query reads, so that other changes need not be examined.

package import RealmTables

/// The columns and tables that decide whether and where an object is in a result.
package struct QueryFootprint: Sendable {
  private let table: TableKey
  /// Columns of the query's own table.
  private let columns: Set<ColumnKey>
  /// Tables that links lead to.
  private let tables: Set<TableKey>

  /// - Throws: `QueryError.invalid` if the query does not fit the schema.
  package init(_ query: TableQuery, in source: any TableReader) throws(QueryError) {
    table = query.table
    let own = try source.table(query.table)
    guard let own else {
      columns = []
      tables = []
      return
    }
    let dependencies = try Dependencies(query, in: own, of: source)
    columns = dependencies.columns
    tables = dependencies.tables
  }

  /// Whether changes of both tables and links may bring objects into the result, take them out or
  /// move them; `own` are the changes of the query's table.
  package func mayMove(by changes: VersionChanges, own: borrowing TableChanges) -> Bool {
    if changes.schemaChanged { return true }
    if !own.inserted.isEmpty || !own.deleted.isEmpty { return true }
    if own.columns.contains(where: columns.contains) { return true }
    return tables.contains { changes.hasChanges(of: $0) }
  }
}

extension ResultState {
  /// Whether none of some objects is in a result in table order.
  package func containsNone(of keys: Set<ObjectKey>) -> Bool {
    guard case .keys(let result) = content else { return keys.isEmpty }
    return !keys.contains { result.containsAscending($0) }
  }
}
