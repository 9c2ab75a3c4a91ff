// SPDX-License-Identifier: Apache-2.0

// The questions that the database has for device sync.
//
// 1. `Sync/`, `AppServices/` and `BSON/` are compiled with the trait `Sync` alone. All other code
//    names none of their types and imports no module of sync: it asks the `synchronisation` of a
//    configuration, and that of a local realm is nil.

import RealmSession
import RealmStorage
import RealmTables

/// The synchronisation of a configuration's file.
protocol Synchronisation: Sendable {
  /// The path of the file; nil if the configuration names the file itself.
  var path: String? { get }
  /// Whether subscriptions select the objects of the file.
  var isFlexible: Bool { get }
  /// The value that all objects of the file share at the server; nil without partitions.
  var partition: String? { get }

  /// Traps for options that exclude each other.
  func checkOptions(of configuration: Realm.Configuration)
  /// Puts a file in the place of the configuration's before that is opened, if it has one to go on
  /// with.
  func prepareFile(of configuration: Realm.Configuration) throws
  /// Makes the recorder of the file's write transactions.
  func makeRecorder() -> SharedFile.Preparation
  /// Writes all objects of a realm into a new file, from where they are uploaded.
  func record(
    _ tables: some TableReader, at path: String, _ key: EncryptionKey?
  ) throws(StorageError)
  /// Removes from a new copy of a synchronised realm what only the synchronisation of the original
  /// needs.
  ///
  /// - Parameters:
  ///   - tables: The version that was copied.
  ///   - isLocal: Whether the copy is not synchronised.
  func clean(
    _ tables: some TableReader, at path: String, _ key: EncryptionKey?, isLocal: Bool
  ) throws(StorageError)
  /// Begins to synchronise the open file of a configuration, unless that is under way.
  func begin(_ shared: SharedFile, _ configuration: Realm.Configuration) throws
  /// The classes that have subscriptions in a version.
  func subscribedClasses(in tables: TableGroup) throws(StorageError) -> Set<String>
  /// Opens the file and waits for the server's data.
  ///
  /// - Parameter reporting: Takes the progress of the download.
  /// - Returns: The open file; nil if there is nothing to wait for.
  func download(
    _ configuration: Realm.Configuration, _ behavior: Realm.OpenBehavior,
    reporting: (@Sendable (TransferProgress) -> Void)?
  ) async throws -> SharedFile?
}
