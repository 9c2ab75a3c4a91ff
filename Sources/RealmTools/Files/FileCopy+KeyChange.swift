// SPDX-License-Identifier: Apache-2.0

// A file that is written again, with another key.

#if Tools
package import RealmStorage

extension FileCopy {
  /// What a change of a key starts with: reports a file that cannot be opened, before a key is made
  /// for it.
  ///
  /// - Returns: False if the file is not encrypted.
  package static func requireReadable(
    _ path: String, key: EncryptionKey?
  ) throws(ToolFailure) -> Bool {
    do throws(StorageError) {
      let file = try DatabaseFile.openForInspection(path: path, key: key)
      guard file.formatVersion == FileHeader.supportedVersion || file.formatVersion == 0 else {
        throw .formatUpgradeRequired(path: path, version: file.formatVersion)
      }
      return key != nil
    } catch { throw ToolFailure(error) }
  }

  /// Writes a file again with another key, or with none, under its name.
  ///
  /// A crash leaves the file with the old key or with the new one.
  package static func changeKey(
    _ path: String, from key: EncryptionKey?, to newKey: EncryptionKey?
  ) throws(ToolFailure) {
    if key == newKey {
      throw .usage(
        key == nil
          ? "'\(path)' is not encrypted, so there is no key to take away."
          : "The new key of '\(path)' is the one that it has. Give another one.")
    }
    do throws(StorageError) {
      if try DatabaseFile.changeKey(path: path, from: key, to: newKey) { return }
      if DatabaseFile.hasOtherName(try DatabaseFile.resolvedPath(path)) {
        throw StorageError.incompatibleLockFile(
          path: path,
          reason: "the file has another name (a hard link), under which it would keep the old key. "
            + "Remove that first.")
      }
      throw StorageError.incompatibleLockFile(
        path: path, reason: "another process has the file open. End it, or try again later.")
    } catch { throw ToolFailure(error) }
  }
}
#endif
