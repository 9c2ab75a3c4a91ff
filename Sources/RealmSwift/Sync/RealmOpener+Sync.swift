// SPDX-License-Identifier: Apache-2.0

// Opening synchronised files: the session of the file, and its first subscriptions.

import RealmSession
import RealmStorage
import RealmSync
import RealmTables

extension RealmOpener {
  /// Opens the file and begins to synchronise it, before any realm shows it.
  func openSynchronised() throws(Realm.Error) -> SharedFile {
    do {
      checkSyncOptions()
      try RealmCache.requireOwnProcess(configuration)
      try RealmCache.requireSameOptions(configuration)
      try makeDirectory()
      let shared = try shared(file())
      try enterSession(shared)
      return shared
    } catch let error as StorageError {
      throw Realm.Error(error, path: configuration.location.path)
    } catch let error as Realm.Error {
      throw error
    } catch {
      throw Realm.Error(.fail, message: "\(error)", path: configuration.location.path)
    }
  }

  /// Traps for options that synchronised files cannot have.
  func checkSyncOptions() {
    guard configuration.isSynchronised else { return }
    if configuration.deleteRealmIfMigrationNeeded {
      throwRealmException(
        "Cannot set 'deleteRealmIfMigrationNeeded' when sync is enabled ('syncConfig' is set).")
    }
    if configuration.readOnly, configuration.syncConfiguration != nil {
      throwRealmException("Cannot set `readOnly` when sync is enabled ('syncConfig' is set).")
    }
  }

  /// Begins to synchronise a file, if its configuration says so, and gives it its first
  /// subscriptions.
  func synchronise(_ shared: SharedFile) throws {
    guard let sync = configuration.syncConfiguration else { return }
    try enterSession(shared)
    guard sync.isFlexible, let attachment = shared.kept(SyncAttachment.self) else { return }
    guard let initial = sync.initialSubscriptions else { return }
    let newest = try StoredSubscriptionSet.newest(in: shared.newestTables())
    let isFirst = attachment.core.takeInitialSubscriptions()
    guard newest?.version ?? 0 == 0 || initial.rerunOnOpen && isFirst else { return }
    let set = SyncSubscriptionSet(attachment.core, shared)
    // nonisolated(unsafe): the block runs on this thread, and returns before the set is used again.
    nonisolated(unsafe) let handed = set
    set.edit { unsafe initial.callback(handed) }
  }

  /// Begins to synchronise a file, unless that is under way.
  private func enterSession(_ shared: SharedFile) throws {
    guard let sync = configuration.syncConfiguration, shared.kept(SyncAttachment.self) == nil else {
      return
    }
    if sync.isFlexible { try makeSubscriptions(shared) }
    shared.keep(SyncAttachment(try SyncSessionCore.enter(shared.file, sync)))
  }

  /// Makes the empty set of subscriptions that files with subscriptions have from the beginning.
  private func makeSubscriptions(_ shared: SharedFile) throws(StorageError) {
    if try StoredSubscriptionSet.newest(in: shared.newestTables()) != nil { return }
    let group = try shared.tables(in: shared.file.beginWrite(for: nil))
    do throws(StorageError) {
      _ = try SubscriptionStore.make(in: group)
      _ = try group.commit()
    } catch {
      group.rollback()
      throw error
    }
  }
}
