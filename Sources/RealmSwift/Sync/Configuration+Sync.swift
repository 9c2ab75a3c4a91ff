// SPDX-License-Identifier: Apache-2.0

// Configurations of synchronised realms.

#if Sync
public import Foundation

extension Realm.Configuration {
  /// What is synchronised, and as whom; nil for a realm of this device alone.
  ///
  /// Setting it sets the file, too. Not to be combined with `readOnly`,
  /// `deleteRealmIfMigrationNeeded` and realms in memory; no migration block runs.
  public var syncConfiguration: SyncConfiguration? {
    get { synchronisation as? SyncConfiguration }
    set { synchronisation = newValue }
  }

  /// Creates a configuration of a synchronised realm; of a file, or of a realm in memory, if
  /// `syncConfiguration` is nil.
  ///
  /// - Parameters:
  ///   - fileURL: The file of a realm that is not synchronised; by default `default.realm` in the
  ///     default directory.
  ///   - inMemoryIdentifier: The name of a realm in memory.
  ///   - syncConfiguration: What is synchronised, and as whom; it decides about the file.
  ///   - encryptionKey: The key of an encrypted file, 64 bytes.
  ///   - readOnly: Whether the file is never changed through this configuration.
  ///   - schemaVersion: The version of the program's model classes.
  ///   - migrationBlock: Migrates objects from a lower schema version.
  ///   - deleteRealmIfMigrationNeeded: Whether files of another schema are emptied instead.
  ///   - shouldCompactOnLaunch: Whether the file is compacted before it is opened.
  ///   - objectTypes: The classes that the realm stores; nil means all classes of the program.
  ///   - seedFilePath: A file whose copy is opened where there is no file yet.
  public init(
    fileURL: URL? = Realm.Configuration.defaultFileURL, inMemoryIdentifier: String? = nil,
    syncConfiguration: SyncConfiguration?, encryptionKey: Data? = nil, readOnly: Bool = false,
    schemaVersion: UInt64 = 0, migrationBlock: MigrationBlock? = nil,
    deleteRealmIfMigrationNeeded: Bool = false,
    shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)? = nil,
    objectTypes: [ObjectBase.Type]? = nil, seedFilePath: URL? = nil
  ) {
    let isLocal = syncConfiguration == nil
    self.init(
      fileURL: isLocal ? fileURL : nil, inMemoryIdentifier: isLocal ? inMemoryIdentifier : nil,
      encryptionKey: encryptionKey, readOnly: readOnly, schemaVersion: schemaVersion,
      migrationBlock: migrationBlock, deleteRealmIfMigrationNeeded: deleteRealmIfMigrationNeeded,
      shouldCompactOnLaunch: shouldCompactOnLaunch, objectTypes: objectTypes,
      seedFilePath: seedFilePath)
    self.syncConfiguration = syncConfiguration
  }
}
#endif
