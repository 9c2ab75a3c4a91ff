// SPDX-License-Identifier: Apache-2.0

// Writes copies of a realm to files of their own.

public import Foundation
import RealmSession
import RealmStorage
import RealmTables

extension Realm {
  /// Writes the version that the realm shows to a new file, without free space.
  ///
  /// The copy is encrypted if it gets a key, which need not be the realm's own; without one it is
  /// not, even if the realm is.
  ///
  /// In a write transaction the copy contains the changes made so far. The copy appears under its
  /// name when it is complete and durable.
  ///
  /// Traps if the key has not exactly 64 bytes.
  ///
  /// - Parameters:
  ///   - fileURL: The location of the copy, where no file may exist yet.
  ///   - encryptionKey: The key of the copy; nil for a copy that is not encrypted.
  /// - Throws: `Realm.Error.fileExists` if there is one, and other errors of `Realm.Error` if the
  ///   copy cannot be written.
  public func writeCopy(toFile fileURL: URL, encryptionKey: Data? = nil) throws {
    let key = Configuration.storageKey(encryptionKey)
    core.checkIsolation()
    try core.writeCopy(to: fileURL.realmFilePath, key)
  }

  /// Writes the version that the realm shows to the file of `configuration`, encrypted with its key
  /// if it has one.
  ///
  /// If there is no such file, this is `writeCopy(toFile:encryptionKey:)`. If there is one, all
  /// objects go into it, in one transaction: they overwrite the objects there that have their
  /// primary keys, all others are new, and everything else there stays. The call waits while
  /// another transaction writes there.
  ///
  /// - Throws: The errors of `writeCopy(toFile:encryptionKey:)` and of opening a realm of the
  ///   configuration; `Realm.Error.invalidInput` for a realm in memory, `Realm.Error.fileExists`
  ///   for the realm's own file and for one to be opened for reading only,
  ///   `Realm.Error.schemaMismatch` if the classes there lack one of which there are objects, or a
  ///   property.
  public func writeCopy(configuration: Configuration) throws {
    core.checkIsolation()
    guard case .file(let path) = configuration.location else {
      throw Realm.Error(
        .invalidInput,
        message: "A copy needs a file: the configuration that it is to be written to has none.")
    }
    let isOther = path != core.file.path && !configuration.readOnly
    if isOther, FileManager.default.fileExists(atPath: path) {
      try core.merge(into: configuration)
    } else {
      try core.writeCopy(to: path, configuration.storageKey)
    }
  }
}

extension RealmCore {
  fileprivate func writeCopy(to path: String, _ key: EncryptionKey?) throws(Realm.Error) {
    let files = FileManager.default
    if files.fileExists(atPath: path) { throw RealmCore.copyExists(path) }
    let unfinished = "\(path).\(UUID().uuidString).copy"
    do throws(StorageError) {
      let file = try SystemFiles().open(path: unfinished, mode: .readWriteCreating)
      if let transaction {
        try transaction.flush()
        try transaction.transaction.write(to: file, key: key)
      } else {
        try snapshot().write(to: file, key: key)
      }
    } catch {
      try? files.removeItem(atPath: unfinished)
      throw Realm.Error(error, path: path)
    }
    do {
      // Fails if a file was made there meanwhile.
      try files.moveItem(atPath: unfinished, toPath: path)
    } catch {
      try? files.removeItem(atPath: unfinished)
      if files.fileExists(atPath: path) { throw RealmCore.copyExists(path) }
      throw Realm.Error(
        .fileOperationFailed,
        message: "Writing '\(path)' failed: \(error.localizedDescription)", path: path)
    }
    do throws(StorageError) {
      try DatabaseFile.syncDirectory(of: path)
    } catch { throw Realm.Error(error, path: path) }
  }

  private static func copyExists(_ path: String) -> Realm.Error {
    Realm.Error(
      .fileExists,
      message: "Failed to write a copy of the Realm to '\(path)': File exists. Delete it first, or "
        + "use another path.",
      path: path)
  }
}
