// SPDX-License-Identifier: Apache-2.0

// The files of a realm on disk.

import Foundation

extension Realm {
  /// Whether the file of a configuration exists.
  public static func fileExists(for configuration: Configuration) -> Bool {
    guard let url = configuration.fileURL else { return false }
    return FileManager.default.fileExists(atPath: url.path)
  }

  /// Deletes the file of a configuration, and those beside it but for the lock file.
  ///
  /// - Returns: whether there was a file.
  /// - Throws: `Realm.Error.alreadyOpen` if a realm of this process has the file open.
  public static func deleteFiles(for configuration: Configuration) throws -> Bool {
    guard let url = configuration.fileURL else { return false }
    let path = url.path
    if RealmCache.hasCore(atPath: path) {
      throw Realm.Error(
        .alreadyOpen,
        message: "Cannot delete files of an open Realm: '\(path)' is still in use. Close all its "
          + "realms, objects and collections first.",
        path: path)
    }
    var isDeleted = false
    for name in [path, path + ".note", path + ".management"]
    where FileManager.default.fileExists(atPath: name) {
      do {
        try FileManager.default.removeItem(atPath: name)
      } catch {
        throw Realm.Error(
          .fileAccess,
          message: "Deleting '\(name)' failed: \(error.localizedDescription)", path: path)
      }
      isDeleted = isDeleted || name == path
    }
    return isDeleted
  }
}
