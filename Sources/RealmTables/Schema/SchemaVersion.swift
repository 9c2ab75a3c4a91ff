// SPDX-License-Identifier: Apache-2.0

// The version number that an application gives its schema (file format, part 3, section 11).

package import RealmStorage

/// The table `metadata` and its one object.
package enum SchemaVersion {
  package static let tableName = "metadata"
  package static let columnName = "version"

  /// The stored version; nil if the file has none.
  package static func read(from table: Table?) throws(StorageError) -> UInt64? {
    guard let table, let column = table.schema.column(named: columnName),
      column.leafKind == .int, let key = try table.key(at: 0), let row = try table.row(of: key)
    else { return nil }
    let value = try row.int(column.leafIndex)
    return value == -1 ? nil : UInt64(bitPattern: value)
  }
}
