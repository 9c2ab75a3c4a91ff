// SPDX-License-Identifier: Apache-2.0

// Checks for and deletes the files of a realm on disk.

import Foundation
import RealmStorage

extension Realm {
  /// Whether the file of a configuration exists.
  public static func fileExists(for configuration: Configuration) -> Bool {
    guard let url = configuration.fileURL else { return false }
    return FileManager.default.fileExists(atPath: url.path)
  }

  /// Deletes the file of a configuration, and the files beside it except the lock file.
  ///
  /// - Returns: Whether there was a file.
  /// - Throws: `Realm.Error.alreadyOpen` if the file is open, in this process or another one.
  public static func deleteFiles(for configuration: Configuration) throws -> Bool {
    guard case .file(let path) = configuration.location else { return false }
    if !RealmCache.isClosedSoon(path) { throw stillOpen(path) }
    guard FileManager.default.fileExists(atPath: path) else {
      try remove([path + ".note", path + ".management"])
      return false
    }
    do {
      var failure: Realm.Error?
      let isDeleted = try RealmCache.whileClosed(path, patience: 2000) {
        do throws(Realm.Error) {
          // A symbolic link goes with the file that it leads to.
          let file = (try? DatabaseFile.resolvedPath(path)) ?? path
          try remove([file, file + ".note", file + ".management"])
          if file != path { try removeOne(path) }
        } catch { failure = error }
      }
      if let failure { throw failure }
      guard isDeleted else { throw stillOpen(path) }
      return true
    } catch let error as StorageError {
      throw Realm.Error(error, path: path)
    }
  }

  private static func stillOpen(_ path: String) -> Realm.Error {
    Realm.Error(
      .alreadyOpen,
      message: "Cannot delete files of an open Realm: '\(path)' is still in use. Close all its "
        + "realms, objects and collections first.",
      path: path)
  }

  private static func removeOne(_ path: String) throws(Realm.Error) {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      throw Realm.Error(
        .fileAccess,
        message: "Deleting '\(path)' failed: \(error.localizedDescription)", path: path)
    }
  }

  private static func remove(_ paths: [String]) throws(Realm.Error) {
    for path in paths where FileManager.default.fileExists(atPath: path) { try removeOne(path) }
  }
}
