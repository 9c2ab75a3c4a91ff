// SPDX-License-Identifier: Apache-2.0

// Synchronised files without a session: their writes are recorded, and nothing more.

#if Sync
import RealmSession

/// The synchronisation of a file whose agent is not that of its realms, if it has one at all.
struct RecordedFile: Synchronisation {
  var path: String? { nil }
  var isFlexible: Bool { false }
  var partition: String? { nil }

  func prepareFile(of configuration: Realm.Configuration) {}

  func begin(_ shared: SharedFile, _ configuration: Realm.Configuration) {}

  func download(
    _ configuration: Realm.Configuration, _ behavior: Realm.OpenBehavior,
    reporting: (@Sendable (TransferProgress) -> Void)?
  ) async throws -> SharedFile? {
    nil
  }
}
#endif
