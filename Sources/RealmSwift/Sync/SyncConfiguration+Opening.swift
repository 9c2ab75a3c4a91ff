// SPDX-License-Identifier: Apache-2.0

// Opening synchronised files: the recorder, the session of the file, and its first subscriptions.

#if Sync
import Foundation
import RealmSession
import RealmStorage
import RealmSync
import RealmTables

extension Synchronisation {
  func checkOptions(of configuration: Realm.Configuration) {
    if configuration.deleteRealmIfMigrationNeeded {
      throwRealmException(
        "Cannot set 'deleteRealmIfMigrationNeeded' when sync is enabled ('syncConfig' is set).")
    }
    if configuration.readOnly, configuration.syncConfiguration != nil {
      throwRealmException("Cannot set `readOnly` when sync is enabled ('syncConfig' is set).")
    }
  }

  func makeRecorder() -> SharedFile.Preparation {
    let recorded = RecordedWrite()
    return { (group) throws(StorageError) in try recorded.attach(to: group) }
  }

  func record(
    _ tables: some TableReader, at path: String, _ key: EncryptionKey?
  ) throws(StorageError) {
    defer { Self.removeCompanions(ofFileAt: path) }
    var options = OpenOptions(history: .syncClient)
    options.encryptionKey = key
    try RecordedCopy(DatabaseFile.open(path: path, options: options)).write(tables)
  }

  private static func removeCompanions(ofFileAt path: String) {
    for suffix in [".lock", ".note", ".management"] {
      try? FileManager.default.removeItem(atPath: path + suffix)
    }
  }

  func clean(
    _ tables: some TableReader, at path: String, _ key: EncryptionKey?, isLocal: Bool
  ) throws(StorageError) {
    guard try InternalTables.areSuperfluous(in: tables, isLocal: isLocal) else { return }
    defer { Self.removeCompanions(ofFileAt: path) }
    try InternalTables.removeSuperfluous(fromFileAt: path, key, isLocal: isLocal)
  }

  func subscribedClasses(in tables: TableGroup) throws(StorageError) -> Set<String> {
    let newest = try StoredSubscriptionSet.newest(in: tables)
    return Set(newest?.subscriptions.map(\.objectClass) ?? [])
  }
}

extension SyncConfiguration: Synchronisation {
  var path: String? { user.app.paths.realm(user: user.id, partition: partitionValue?.fileName) }

  /// Whether subscriptions select the objects of the realm.
  var isFlexible: Bool { partitionValue == nil }

  var partition: String? { partitionValue?.partitionText }

  /// Begins to synchronise a file, and gives it its first subscriptions.
  func begin(_ shared: SharedFile, _ configuration: Realm.Configuration) throws {
    try enterSession(shared, configuration)
    guard isFlexible, let attachment = shared.kept(SyncAttachment.self) else { return }
    guard let initial = initialSubscriptions else { return }
    let newest = try StoredSubscriptionSet.newest(in: shared.newestTables())
    let isFirst = attachment.core.takeInitialSubscriptions()
    guard newest?.version ?? 0 == 0 || initial.rerunOnOpen && isFirst else { return }
    let set = SyncSubscriptionSet(attachment.core, shared)
    // nonisolated(unsafe): the block runs on this thread, and returns before the set is used again.
    nonisolated(unsafe) let handed = set
    set.edit { unsafe initial.callback(handed) }
  }

  /// Begins to synchronise a file, unless that is under way.
  func enterSession(_ shared: SharedFile, _ configuration: Realm.Configuration) throws {
    guard shared.kept(SyncAttachment.self) == nil else { return }
    if isFlexible { try makeSubscriptions(shared) }
    shared.keep(SyncAttachment(try SyncSessionCore.enter(shared.file, self, configuration)))
  }

  /// Makes the empty set of subscriptions that files with subscriptions have from the beginning.
  private func makeSubscriptions(_ shared: SharedFile) throws(StorageError) {
    if try StoredSubscriptionSet.newest(in: shared.newestTables()) != nil { return }
    let group = try shared.tables(in: shared.file.beginWrite(for: nil))
    try group.commit { (group) throws(StorageError) in _ = try SubscriptionStore.make(in: group) }
  }
}
#endif
