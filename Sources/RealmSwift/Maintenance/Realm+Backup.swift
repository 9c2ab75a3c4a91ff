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
  /// call throws, and leaves no file. A cancelled task leaves none either.
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
    try await MaintenanceWork.run("write a backup", on: path, progress: progress) { watch in
      try RealmCore.makeFile(at: path, asFileAt: source) { (unfinished) throws(StorageError) in
        try Backup(snapshot, to: unfinished, key).write(watch)
      }
    }
  }
}

/// A backup that is being written.
private struct Backup {
  private let snapshot: Snapshot
  private let path: String
  private let key: EncryptionKey?

  init(_ snapshot: Snapshot, to path: String, _ key: EncryptionKey?) {
    self.snapshot = snapshot
    self.path = path
    self.key = key
  }

  func write(_ watch: WorkWatch) throws(StorageError) {
    let file = try SystemFiles(asFileAt: snapshot.file.path)
      .open(path: path, mode: .readWriteCreating)
    try snapshot.held(by: .backingUp) { () throws(StorageError) in
      try snapshot.write(
        to: file, key: key, history: .whole(ofLocal: true),
        WorkWatch(progress: { watch.progress($0 * 0.8) }, isCancelled: watch.isCancelled))
    }
    // What is read back shall come from the disk.
    file.forgetCached()
    try verify(
      WorkWatch(progress: { watch.progress(0.8 + $0 * 0.2) }, isCancelled: watch.isCancelled))
    watch.progress(1)
  }

  private func verify(_ watch: WorkWatch) throws(StorageError) {
    let copy = try DatabaseFile.open(
      path: path, options: OpenOptions(isReadOnly: true, mustExist: true, encryptionKey: key),
      system: SystemFiles(), registry: FileRegistry())
    let (findings, _) = try copy.checkNodes(try copy.snapshot(), watch)
    guard let error = findings.first(where: { $0.severity == .error }) else { return }
    throw .corrupted("its backup is not whole: \(error.message)")
  }
}
