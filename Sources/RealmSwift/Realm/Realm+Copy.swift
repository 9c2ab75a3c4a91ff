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
  /// If there is no such file, it is made:
  ///
  /// - From a local realm to a local one, as by `writeCopy(toFile:encryptionKey:)`.
  /// - From a local realm to a synchronised one of a partition: its first session uploads all
  ///   objects. Without a session it can be bundled with a program, as its seed.
  /// - From a synchronised realm to a local one, without anything of the synchronisation.
  /// - From a synchronised realm to one of the same partition, or of subscriptions as well: a copy
  ///   for another device or user, which goes on downloading from where the realm is. All changes
  ///   have to be uploaded before.
  ///
  /// A realm with subscriptions is not made from a local one, as it has no objects before it has
  /// subscriptions: open it with its initial subscriptions, and then copy into its file.
  ///
  /// If there is such a file, all objects go into it, in one transaction: they overwrite the
  /// objects there that have their primary keys, all others are new, and everything else there
  /// stays. The call waits while another transaction writes there. In a synchronised file that is a
  /// change like any other, and is uploaded.
  ///
  /// - Throws: The errors of `writeCopy(toFile:encryptionKey:)` and of opening a realm of the
  ///   configuration; `Realm.Error.invalidInput` for a realm in memory and for a synchronised realm
  ///   that cannot be made from this one, `Realm.Error.fileExists` for the realm's own file and for
  ///   one to be opened for reading only, `Realm.Error.schemaMismatch` if the classes there lack
  ///   one of which there are objects, or a property, `Realm.Error.noSubscriptionForWrite` if none
  ///   of its subscriptions selects objects of a class, `Realm.Error.fail` if changes wait for
  ///   their upload.
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
      if configuration.synchronisation?.path != nil { try configuration.makeDirectory() }
      try core.writeCopy(to: path, configuration)
    }
  }
}

extension RealmCore {
  /// Writes a copy for a configuration that has no file yet.
  fileprivate func writeCopy(
    to path: String, _ target: Realm.Configuration
  ) throws(Realm.Error) {
    guard let synchronisation = target.synchronisation else {
      return try writeCopy(to: path, target.storageKey, history: HistoryCopy.none)
    }
    guard let own = configuration.synchronisation else {
      return try writeRecordedCopy(to: path, target.storageKey, synchronisation)
    }
    guard own.isFlexible == synchronisation.isFlexible,
      own.partition == synchronisation.partition
    else {
      throw Realm.Error(
        .invalidInput,
        message: "The Realm '\(file.path)' cannot be copied to '\(path)': "
          + "it has \(own.content), and the copy is to have \(synchronisation.content). "
          + "Copy it into a file that has been opened before.",
        path: path)
    }
    if transaction != nil { throw Realm.Error(.pendingUploads(path: file.path), path: path) }
    try writeCopy(to: path, target.storageKey)
  }

  /// Writes a synchronised file whose first session uploads all objects.
  private func writeRecordedCopy(
    to path: String, _ key: EncryptionKey?, _ synchronisation: any Synchronisation
  ) throws(Realm.Error) {
    guard !synchronisation.isFlexible else {
      throw Realm.Error(
        .invalidInput,
        message: "A local Realm cannot be copied to '\(path)', whose objects are chosen by "
          + "subscriptions: there are none yet. Open it first, with its initial subscriptions, and "
          + "copy into its file then.",
        path: path)
    }
    try Self.makeFile(at: path, asFileAt: file.path) { (unfinished) throws(StorageError) in
      if let transaction {
        try transaction.flush()
        try synchronisation.record(transaction, at: unfinished, key)
      } else {
        try synchronisation.record(readableTables(), at: unfinished, key)
      }
    }
  }

  /// - Parameter history: What the copy of a synchronised file takes along; nil for what another
  ///   device needs.
  fileprivate func writeCopy(
    to path: String, _ key: EncryptionKey?, history: HistoryCopy? = nil
  ) throws(Realm.Error) {
    try Self.makeFile(at: path, asFileAt: file.path) { (unfinished) throws(StorageError) in
      let file = try SystemFiles(asFileAt: self.file.path)
        .open(path: unfinished, mode: .readWriteCreating)
      let isLocal = history == HistoryCopy.none
      if let transaction {
        try transaction.flush()
        try transaction.transaction.write(to: file, key: key)
        try configuration.synchronisation?.clean(transaction, at: unfinished, key, isLocal: isLocal)
      } else {
        try snapshot().write(to: file, key: key, history: history)
        try configuration.synchronisation?
          .clean(readableTables(), at: unfinished, key, isLocal: isLocal)
      }
    }
  }

  /// Gives a file its name when it is written.
  ///
  /// - Parameter source: The file whose rights it gets.
  static func makeFile(
    at path: String, asFileAt source: String, _ write: (String) throws(StorageError) -> Void
  ) throws(Realm.Error) {
    try requireFree(path)
    let unfinished = otherPath(of: path)
    do throws(StorageError) {
      try write(unfinished)
    } catch {
      try? FileManager.default.removeItem(atPath: unfinished)
      throw Realm.Error(error, path: path)
    }
    try name(unfinished, path, asFileAt: source)
  }

  /// - Throws: `Realm.Error.fileExists` if there is something at the path of a copy.
  static func requireFree(_ path: String) throws(Realm.Error) {
    if FileManager.default.fileExists(atPath: path) { throw RealmCore.copyExists(path) }
  }

  /// The path of a copy that is being written, which no other one has.
  static func otherPath(of path: String) -> String { "\(path).\(UUID().uuidString).copy" }

  /// Gives a file that is written its name, or removes it.
  static func name(
    _ unfinished: String, _ path: String, asFileAt source: String
  ) throws(Realm.Error) {
    let files = FileManager.default
    FileRights(of: source)?.apply(to: unfinished)
    do {
      // Fails if a file was made there meanwhile.
      try files.moveItem(atPath: unfinished, toPath: path)
    } catch {
      try? files.removeItem(atPath: unfinished)
      try requireFree(path)
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

extension Synchronisation {
  /// What a realm has, for messages.
  fileprivate var content: String {
    if isFlexible { return "the objects of subscriptions" }
    return "the objects of partition \(partition ?? "null")"
  }
}
