// SPDX-License-Identifier: Apache-2.0

// Backups that are being written, before they have their names.
//
// 1. The caller gives the file its name while this value is in use: its lock keeps other attempts
//    from the file.
// 2. What an attempt left may be in the system's memory alone, also where an earlier process was
//    failed to write it. So all is read from the disk before the file may get its
//    name.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The file of a backup that has no name yet.
package struct UnfinishedBackup: Sendable {
  /// Where the file is.
  package let path: String
  private let file: ResumedFile
  private let system: any FileSystem
  /// Whether the next attempt finds the file.
  private let isFound: Bool

  /// Opens what an interrupted backup to `target` has left, or makes a file.
  ///
  /// Where something else has that name, another backup to `target` is being written, or files have
  /// no locks, the file is made at `otherPath`, and a backup that is interrupted begins again.
  ///
  /// - Parameter source: The file that is backed up, whose rights the backup gets.
  package init(
    to target: String, else otherPath: String, of source: String, in system: any FileSystem
  ) throws(StorageError) {
    let usual = "\(target).unfinished-backup"
    let rights = FileRights(of: source)
    self.system = system
    if let found = try system.resumeCopy(usual, rights: rights) {
      (path, file, isFound) = (usual, ResumedFile(found), true)
    } else {
      let made = try system.makeCopy(otherPath, rights: rights)
      (path, file, isFound) = (otherPath, ResumedFile(made), false)
    }
  }

  /// The bytes of an earlier attempt that stayed.
  package var keptByteCount: Int { file.keptByteCount }

  /// Writes a version, makes it durable, and reads it from the disk.
  ///
  /// If this throws, the file is removed. What was cancelled stays, if the next attempt finds it.
  ///
  /// - Parameter key: The key of the backup.
  package func write(
    _ snapshot: Snapshot, key: EncryptionKey?, _ watch: WorkWatch
  ) throws(StorageError) {
    do throws(StorageError) {
      try snapshot.held(by: .backingUp) { () throws(StorageError) in
        try snapshot.write(
          to: file, key: key, history: .whole(ofLocal: true),
          WorkWatch(progress: { watch.progress($0 * 0.8) }, isCancelled: watch.isCancelled))
      }
      try verify(
        key,
        WorkWatch(progress: { watch.progress(0.8 + $0 * 0.2) }, isCancelled: watch.isCancelled))
    } catch {
      if !isFound || !error.isCancellation { system.discard(path) }
      throw error
    }
    watch.progress(1)
  }

  private func verify(_ key: EncryptionKey?, _ watch: WorkWatch) throws(StorageError) {
    file.forgetCached()
    let copy = try DatabaseFile.open(
      path: path, options: OpenOptions(isReadOnly: true, mustExist: true, encryptionKey: key),
      system: system, registry: FileRegistry())
    let (findings, _) = try copy.checkNodes(try copy.snapshot(), watch)
    if watch.isCancelled() { throw .system(operation: "Copying", path: path, code: ECANCELED) }
    guard let error = findings.first(where: { $0.severity == .error }) else { return }
    throw .corrupted("its backup is not whole: \(error.message)")
  }
}

extension StorageError {
  fileprivate var isCancellation: Bool {
    if case .system(_, _, ECANCELED) = self { true } else { false }
  }
}
