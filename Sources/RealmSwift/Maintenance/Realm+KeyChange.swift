// SPDX-License-Identifier: Apache-2.0

// Another key for a file.

public import Foundation
import RealmStorage

extension Realm {
  /// Writes the file of a configuration again, in its place, with another encryption key.
  ///
  /// No process may have the file open, and the program's realms, objects and results of it must
  /// have been released. The file has the data, the version and the history that it had, no free
  /// space, and the new key; without one it is plain, and a plain file gets a key the same way.
  ///
  /// ```swift
  /// try Realm.rewrite(configuration: configuration, encryptionKey: newKey)
  /// configuration.encryptionKey = newKey
  /// ```
  ///
  /// A crash at any point, of the program, the system or the power, leaves the file with the old
  /// key or with the new one, so keep the old key until the call has returned. The new file is read
  /// back and compared with its checksums before it takes the place of the old one; a damaged realm
  /// keeps its key. Copies and backups keep theirs, too, and the blocks in which the old file was
  /// are not wiped: with the old key and an image of the disk, what was there may still be read.
  ///
  /// It takes the time and the space of a copy, and blocks the caller.
  ///
  /// - Parameters:
  ///   - configuration: The configuration with the key that the file has.
  ///   - encryptionKey: The new key, 64 bytes; nil for a plain file.
  /// - Throws: `Realm.Error.alreadyOpen` if the file is open in this process or another one,
  ///   `Realm.Error.fileNotFound` if there is none, `Realm.Error.invalidDatabase` if the key of the
  ///   configuration is another one or the realm is damaged, `Realm.Error.fileAccess` for a file
  ///   with hard links, which would keep the old key, `Realm.Error.invalidInput` for a realm in
  ///   memory; other errors of `Realm.Error` if the file cannot be written, such as on a full disk.
  public static func rewrite(
    configuration: Configuration = .defaultConfiguration, encryptionKey: Data?
  ) throws {
    let newKey = Configuration.storageKey(encryptionKey)
    guard case .file(let path) = configuration.location else {
      throw Realm.Error(
        .invalidInput, message: "A Realm in memory has no file that could be encrypted.")
    }
    let file = (try? DatabaseFile.resolvedPath(path)) ?? path
    if DatabaseFile.hasOtherName(file) {
      throw Realm.Error(
        .fileAccess,
        message: "The key of '\(path)' was not changed: the file has another name (a hard link), "
          + "under which it would keep the old key. Remove that first.",
        path: path)
    }
    let key = configuration.storageKey
    do throws(StorageError) {
      // A worker that was just using the last realm releases the file shortly.
      let isClosed = RealmCache.isClosedSoon(path)
      for _ in 0..<attemptCountMax where isClosed && !RealmCache.hasCore(atPath: path) {
        if try DatabaseFile.changeKey(path: path, from: key, to: newKey) { return }
        usleep(1000)
      }
    } catch { throw Realm.Error(error, path: path) }
    throw Realm.Error(
      .alreadyOpen,
      message: "The key of '\(path)' cannot be changed while the Realm is in use. Close all its "
        + "realms, objects and collections, in all processes, first.",
      path: path)
  }

  /// How often a change of the key is tried, a millisecond apart.
  private static let attemptCountMax = 200
}
