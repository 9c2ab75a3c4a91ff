// SPDX-License-Identifier: Apache-2.0

// Prepares a file before it is opened: copies a seed, compacts the file, upgrades it to the present
// format, or restores it from a copy made before another version of the library did that.

import Foundation
import RealmStorage
import RealmTables

extension RealmOpener {
  /// Copies the seed of a configuration to a location that has no file.
  func plantSeed(_ seed: URL, at path: String) throws(Realm.Error) {
    let files = FileManager.default
    guard !files.fileExists(atPath: path) else { return }
    // Complete before it gets its name: a crash must not leave half a file.
    let unfinished = "\(path).\(UUID().uuidString).seed"
    do {
      try files.copyItem(atPath: seed.path, toPath: unfinished)
      try files.moveItem(atPath: unfinished, toPath: path)
    } catch {
      try? files.removeItem(atPath: unfinished)
      // Another thread, or process, may have created it meanwhile.
      if files.fileExists(atPath: path) { return }
      throw Realm.Error(
        files.fileExists(atPath: seed.path) ? .fileAccess : .fileNotFound,
        message: "Failed to copy the seed file '\(seed.path)' to '\(path)': "
          + error.localizedDescription,
        path: path)
    }
  }

  /// Compacts the file at `path` if no process has it open and the program requests it. On a full
  /// disk, and in a folder without the right to make a file, the file stays as it is.
  func compact(_ path: String, if isWanted: @Sendable (Int, Int) -> Bool) throws(StorageError) {
    let key = configuration.storageKey
    let files = FileManager.default
    guard files.fileExists(atPath: path), try RealmCache.whileClosed(path, {}) else { return }
    let options = OpenOptions(
      mustExist: true, encryptionKey: key, history: configuration.fileHistory)
    let counts = try openFile(at: path, options).byteCounts()
    guard isWanted(counts.total, counts.used) else { return }
    do throws(StorageError) {
      guard
        try DatabaseFile.compact(
          path: path, key: key, keepsHistory: configuration.historyLimit > 0,
          preparing: { (draft) throws(StorageError) in try EnumeratedCopy.prepare(draft) })
      else { return }
    } catch {
      // The copy needs room and a folder that takes it, and the file can be used as it is.
      guard error.isDiskFull || error.isAccessRefused else { throw error }
      Logger.log(.warn, "'\(path)' was not compacted, as no copy can be written: \(error)")
      return
    }
    Logger.log(
      .info, "Compacted '\(path)', of which \(counts.used) of \(counts.total) bytes were used")
  }

  /// Opens the file at `path`, whose format is the present one afterwards.
  ///
  /// A file of an older format is upgraded, after a copy was made of it. One in a newer format,
  /// which cannot be read here, is replaced by the newest copy of this kind.
  func openFile(at path: String, _ options: OpenOptions) throws(StorageError) -> DatabaseFile {
    HeldVersionLog.begin
    UnsettledVersionLog.begin
    if options.isInMemory || options.isReadOnly {
      return try DatabaseFile.open(path: path, options: options)
    }
    let backups = FormatBackups(of: path)
    let isFirst = !RealmCache.hasCore(atPath: path)
    let file: DatabaseFile
    do throws(StorageError) {
      file = try openUpgraded(path, options, backups)
    } catch {
      guard case .unsupportedFormat(_, let version) = error,
        try backups.restore(replacing: version, options.encryptionKey)
      else { throw error }
      file = try openUpgraded(path, options, backups)
    }
    if isFirst { backups.removeOld() }
    return file
  }

  private func openUpgraded(
    _ path: String, _ options: OpenOptions, _ backups: FormatBackups
  ) throws(StorageError) -> DatabaseFile {
    try DatabaseFile.openUpgraded(path: path, options: options) { format in
      Logger.log(
        .info, "Upgrading '\(path)' from format \(format) to \(FileHeader.supportedVersion)")
      backups.make(format: format)
    }
  }
}
