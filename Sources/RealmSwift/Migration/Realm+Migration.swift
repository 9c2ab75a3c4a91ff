// SPDX-License-Identifier: Apache-2.0

// Migrates files that no realm has open, and reads the schema versions of files.

public import Foundation
import RealmSession
import RealmStorage
import RealmTables

extension Realm {
  /// Migrates the file of a configuration, as opening it would, and closes it again.
  ///
  /// Traps if a realm of this process has the file open.
  ///
  /// - Throws: `Realm.Error`, with the errors of opening.
  public static func performMigration(
    for configuration: Configuration = .defaultConfiguration
  ) throws {
    if !RealmCache.isClosedSoon(configuration.location.path) {
      throwRealmException("Cannot migrate Realms that are already open.")
    }
    _ = try RealmOpener(configuration).open(.current)
  }
}

/// The schema version of the file at `fileURL`.
///
/// May be called on any thread, also while realms of the file are open. A file of an older format
/// is not upgraded. Traps if the key has not exactly 64 bytes.
///
/// - Parameters:
///   - fileURL: The file.
///   - encryptionKey: Its key, if it is encrypted.
/// - Throws: `Realm.Error.invalidDatabase` if no realm was ever opened there, and the errors of
///   opening.
public func schemaVersionAtURL(_ fileURL: URL, encryptionKey: Data? = nil) throws -> UInt64 {
  let key = Realm.Configuration.storageKey(encryptionKey)
  let path = fileURL.realmFilePath
  do throws(StorageError) {
    let file = try DatabaseFile.openAnyway(path: path, key: key)
    if let version = try TableGroup(file.snapshot()).schemaVersion() { return version }
  } catch {
    // A missing file has not been initialized either.
    guard case .system(_, _, ENOENT) = error else { throw Realm.Error(error, path: path) }
  }
  throw Realm.Error(
    .invalidDatabase, message: "Realm at path '\(path)' has not been initialized.", path: path)
}

extension DatabaseFile {
  /// Opens a file that must exist: for reading only where it must not be written.
  static func openAnyway(path: String, key: EncryptionKey?) throws(StorageError) -> DatabaseFile {
    var options = OpenOptions(mustExist: true, encryptionKey: key)
    do throws(StorageError) {
      return try open(path: path, options: options)
    } catch {
      // The schema version is at the same position in older formats.
      switch error {
      case .formatUpgradeRequired: return try openForInspection(path: path, key: key)
      // A synchronised file, which can be read as any other.
      case .incompatibleHistory: break
      case _ where error.isAccessRefused: break
      default: throw error
      }
      options.isReadOnly = true
      return try open(path: path, options: options)
    }
  }
}
