// SPDX-License-Identifier: Apache-2.0

// What happens to a file before it is opened: a seed takes its place, or it is compacted.

import Foundation
import RealmStorage

extension RealmOpener {
  /// Copies the seed of a configuration to where the file is missing.
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
      // Another thread, or process, may have been faster.
      if files.fileExists(atPath: path) { return }
      throw Realm.Error(
        files.fileExists(atPath: seed.path) ? .fileAccess : .fileNotFound,
        message: "Failed to copy the seed file '\(seed.path)' to '\(path)': "
          + error.localizedDescription,
        path: path)
    }
  }

  /// Compacts the file at `path` if nobody has it open and the program wants it.
  func compact(
    _ path: String, if isWanted: @Sendable (Int, Int) -> Bool
  ) throws(StorageError) {
    let key = configuration.storageKey
    let files = FileManager.default
    guard files.fileExists(atPath: path), try RealmCache.whileClosed(path, {}) else { return }
    let counts = try RealmOpener.byteCounts(path, key)
    guard isWanted(counts.total, counts.used), try DatabaseFile.compact(path: path, key: key)
    else { return }
    Logger.log(
      .info, "Compacted '\(path)', of which \(counts.used) of \(counts.total) bytes were used")
  }

  private static func byteCounts(
    _ path: String, _ key: EncryptionKey?
  ) throws(StorageError) -> (total: Int, used: Int) {
    let options = OpenOptions(mustExist: true, encryptionKey: key)
    return try DatabaseFile.open(path: path, options: options).byteCounts()
  }
}
