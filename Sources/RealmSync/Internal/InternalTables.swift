// SPDX-License-Identifier: Apache-2.0

// The internal tables of synchronisation (P3 C). They are of no class, so they are neither recorded
// nor shown.

import RealmStorage
import RealmTables

/// A group of internal tables with one version.
package struct InternalTables {
  let name: String
  let version: Int64
  /// Targets of links come first.
  let tables: [RecordLayout]

  private static let versions = RecordLayout(
    "sync_internal_schemas", hasPrimaryKey: true,
    [RecordField("schema_group_name", .string), RecordField("schema_version", .int)])

  /// Whether the tables are there. If so, they are as they must be.
  ///
  /// - Throws: `StorageError.corrupted` if they are not.
  func exist(in group: WriteGroup) throws(StorageError) -> Bool {
    guard let last = tables.last, try group.table(named: last.name) != nil else { return false }
    for table in tables { try table.checkExactly(in: group) }
    return true
  }

  /// Makes the tables, if they are missing.
  func make(in group: WriteGroup) throws(StorageError) {
    if try exist(in: group) { return }
    for table in tables { try table.makeIfMissing(in: group) }
    try Self.versions.makeIfMissing(in: group)
    try Self.versions.table(in: group).findOrCreate(.string(name)).set(version, "schema_version")
  }
}
