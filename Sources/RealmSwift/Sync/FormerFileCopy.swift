// SPDX-License-Identifier: Apache-2.0

// Copies the file that a former service has synchronised to the place of its realm, before that is
// opened for the first time.
//
// 1. The copy has its mark before it gets its name: a crash leaves no file that would be reset
//    instead of adopted.
// 2. The former file of a device gets another name when the copy has its own, so no second user
//    adopts it. It is never changed, and never deleted.
// 3. A copy that was made to be shipped with apps stays where it is: each user may begin with it.

#if Sync
import Foundation
import RealmStorage
import RealmSync
import RealmTables

/// The copy of a former file.
struct FormerFileCopy {
  /// The former file.
  let source: String
  /// The place of the realm.
  let path: String
  let key: EncryptionKey?

  private var files: FileManager { .default }

  /// Copies and marks the file, unless the realm has a file.
  func run() throws(Realm.Error) {
    if source == path { return try markInPlace() }
    if files.fileExists(atPath: path) { return finish() }
    let unfinished = "\(path).\(UUID().uuidString).former"
    defer { remove(unfinished) }
    try copy(to: unfinished)
    let record: AdoptionRecord
    do throws(StorageError) {
      record = try AdoptionRecord.mark(open(unfinished), origin: source, isCopy: true)
    } catch {
      // The app knows the former file, and not its unfinished copy.
      throw Realm.Error(error.naming(source), path: source)
    }
    do {
      // Fails if a file was made there meanwhile.
      try files.moveItem(atPath: unfinished, toPath: path)
      try DatabaseFile.syncDirectory(of: path)
    } catch {
      if files.fileExists(atPath: path) { return }
      throw failure(error)
    }
    Logger.log(.info, "'\(source)' was copied to '\(path)', to be adopted by the app's server")
    if record.origin == source { setAside() }
  }

  private func copy(to unfinished: String) throws(Realm.Error) {
    var failure: (any Error)?
    func copy() {
      do {
        try files.copyItem(atPath: source, toPath: unfinished)
        // A file of the app's own folder may have no right to be written.
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: unfinished)
        try SystemFiles().open(path: unfinished, mode: .readWrite).sync()
      } catch { failure = error }
    }
    let isDone: Bool
    do throws(StorageError) {
      isDone = try DatabaseFile.whileClosed(path: source, copy)
    } catch {
      // Beside a file that cannot be written, as in the folder of an app, there may be no lock
      // file.
      guard error.isAccessRefused, !files.isWritableFile(atPath: source) else {
        throw self.failure(error)
      }
      copy()
      isDone = true
    }
    if let failure { throw self.failure(failure) }
    guard isDone else {
      throw Realm.Error(
        .alreadyOpen,
        message: "'\(source)' is open, and can only be adopted by '\(path)' when it is closed.",
        path: path)
    }
  }

  private func failure(_ error: any Error) -> Realm.Error {
    Realm.Error(
      .fileOperationFailed,
      message: "'\(source)' cannot be copied to '\(path)', to be adopted: \(error)", path: path)
  }

  /// Opens a file, in the present format: the former file stays in its own.
  private func open(_ path: String) throws(StorageError) -> DatabaseFile {
    var options = OpenOptions(history: .syncClient)
    options.mustExist = true
    options.encryptionKey = key
    return try DatabaseFile.openUpgraded(path: path, options: options) { _ in }
  }

  private func remove(_ unfinished: String) {
    for suffix in ["", ".lock", ".note", ".management"] {
      try? files.removeItem(atPath: unfinished + suffix)
    }
  }

  /// Marks a file that is in the place of the realm already: both apps have the same id, and both
  /// users.
  private func markInPlace() throws(Realm.Error) {
    guard files.fileExists(atPath: path) else { return }
    do throws(StorageError) {
      try AdoptionRecord.mark(open(path), origin: source)
    } catch { throw Realm.Error(error, path: path) }
  }

  // MARK: The former file

  /// Does what a crash after the copy has left undone.
  private func finish() {
    guard let file = try? open(path), let group = try? TableGroup(file.snapshot()),
      let record = try? AdoptionRecord.stored(in: group), record.origin == source
    else { return }
    setAside()
  }

  private func setAside() {
    assert(source != path, "`FormerFileCopy` 2: a file that is adopted in place keeps its name")
    removeLeftovers()
    do {
      try files.moveItem(atPath: source, toPath: source + ".adopted")
    } catch {
      Logger.log(.warn, "'\(source)' was adopted, and cannot be renamed: \(error)")
    }
  }

  /// Removes unfinished copies, which a crash may have left. Another process that makes one at the
  /// moment finds that the realm has its file.
  private func removeLeftovers() {
    let place = URL(fileURLWithPath: path)
    let folder = place.deletingLastPathComponent()
    for name in (try? files.contentsOfDirectory(atPath: folder.path)) ?? []
    where name.hasPrefix(place.lastPathComponent + ".") && name.contains(".former") {
      try? files.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}

extension SyncConfiguration {
  /// Copies the file that a former service has synchronised, before the realm's is opened.
  func prepareFile(of configuration: Realm.Configuration) throws {
    let path = configuration.location.path
    guard let formerFile, !RealmCache.hasCore(atPath: path) else { return }
    let source = try formerFile.path(
      partition: partitionValue?.fileName, base: user.app.paths.base, for: path)
    guard let source else { return }
    try FormerFileCopy(source: source, path: path, key: configuration.storageKey).run()
  }
}
#endif
