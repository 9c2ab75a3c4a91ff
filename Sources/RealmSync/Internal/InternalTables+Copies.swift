// SPDX-License-Identifier: Apache-2.0

// The internal tables of synchronisation in copies of files.

package import RealmStorage
package import RealmTables

extension InternalTables {
  /// What only the device has that the file is of.
  private static let ofDevice = [
    "client_reset_metadata", "schema_migration_metadata", "openrealm_adoption", "openrealm_reports",
  ]
  /// What a local file has no use for, tables with links first.
  private static let ofSynchronisation =
    [
      "flx_subscription_sets", "flx_subscriptions", BootstrapStore.tableName,
      "flx_pending_bootstrap_changesets", "flx_pending_bootstrap_progress", "flx_migration",
      "sync_internal_schemas",
    ] + ofDevice

  private static func names(isLocal: Bool) -> [String] { isLocal ? ofSynchronisation : ofDevice }

  /// Whether a copy of a file has tables that do not belong into it.
  ///
  /// - Parameter isLocal: Whether the copy is not synchronised.
  package static func areSuperfluous(
    in tables: some TableReader, isLocal: Bool
  ) throws(StorageError) -> Bool {
    let names = Set(names(isLocal: isLocal))
    for key in try tables.tableKeys() {
      if let schema = try tables.schema(of: key), names.contains(schema.name) { return true }
    }
    return false
  }

  /// Removes the tables from a copy that do not belong into it.
  package static func removeSuperfluous(
    fromFileAt path: String, _ key: EncryptionKey?, isLocal: Bool
  ) throws(StorageError) {
    var options = isLocal ? OpenOptions() : OpenOptions(history: .syncClient)
    options.mustExist = true
    options.encryptionKey = key
    let group = try WriteGroup(DatabaseFile.open(path: path, options: options).beginWrite())
    try group.commit { (group) throws(StorageError) in
      for name in names(isLocal: isLocal) {
        if let table = try group.table(named: name) { try group.removeTable(table.key) }
      }
    }
  }
}
