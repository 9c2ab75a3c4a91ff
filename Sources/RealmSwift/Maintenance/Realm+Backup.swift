// SPDX-License-Identifier: Apache-2.0

// Backups of files in use.

public import Foundation
import RealmSession
import RealmStorage

extension Realm {
  /// Writes the version that the realm shows to a new file, while the realm is in use, and reads
  /// what was written.
  ///
  /// Readers and writers of all processes go on. The backup is one version: what is committed
  /// meanwhile is not in it. It appears under its name when all of it is on the disk, and has been
  /// read from there and compared with its checksums. It has the encryption key of the realm, no
  /// free space, and the history that the file has. To go back, put it in the place of the file
  /// while that is closed.
  ///
  /// ```swift
  /// try await realm.backup(to: url) { part in print("\(Int(part * 100)) %") }
  /// ```
  ///
  /// A part of the realm that is not as it was written does not get into a backup unnoticed: the
  /// call throws, and leaves no file. Neither does a disk that is full.
  ///
  /// Where the task was cancelled, or the program ended, a file is left whose name has
  /// `.unfinished-backup` behind that of the backup. The next call with the same location goes on
  /// with it: it writes from the first byte on that is not as it should be, so the same version
  /// goes on where it was, and another one as far as both are the same. Remove that file if you
  /// want no backup any more. Two backups to the same location at a time are two files, and one
  /// gets the name.
  ///
  /// In a write transaction the backup is the version before it. The backup of a synchronised realm
  /// is this device's: it may take the place of the file, and not be used beside it.
  ///
  /// Use it on the actor of the realm; a frozen realm may be backed up anywhere.
  ///
  /// - Parameters:
  ///   - fileURL: The location of the backup, where no file may exist yet.
  ///   - progress: Called on a thread of the library with the part that is done, from 0 to 1.
  /// - Throws: `Realm.Error.fileExists` if there is a file; `Realm.Error.invalidDatabase` if the
  ///   realm is damaged, or the backup is not what was written; other errors of `Realm.Error` if
  ///   the backup cannot be written; `CancellationError`.
  public func backup(
    to fileURL: URL, _isolation actor: isolated (any Actor)? = #isolation,
    progress: (@Sendable (Double) -> Void)? = nil
  ) async throws {
    core.checkIsolation()
    let source = core.file.path
    let path = fileURL.realmFilePath
    let snapshot: Snapshot
    do throws(StorageError) {
      snapshot = try core.snapshot()
    } catch { throw Realm.Error(error, path: source) }
    let key = core.configuration.storageKey
    try RealmCore.requireFree(path)
    try await MaintenanceWork.run(
      "write a backup", on: path, isWhole: true, progress: progress
    ) { watch in
      let backup: UnfinishedBackup
      do throws(StorageError) {
        backup = try UnfinishedBackup(
          to: path, else: RealmCore.otherPath(of: path), of: source, in: SystemFiles())
        try backup.write(snapshot, key: key, watch)
      } catch { throw Realm.Error(error, path: path) }
      // `UnfinishedBackup` 1
      defer { withExtendedLifetime(backup) {} }
      try RealmCore.name(backup.path, path, asFileAt: source)
    }
  }
}
