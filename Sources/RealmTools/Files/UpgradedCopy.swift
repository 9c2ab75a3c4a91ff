// SPDX-License-Identifier: Apache-2.0

// Files of older formats, as they are after an upgrade.
//
// 1. The file itself is read alone: no byte of it changes, nothing appears beside it, and whether
//    it is synchronised is of no account. The copy is a local file.
// 2. The temporary copy has no name while it is read, so that it goes away with the process,
//    however that ends; its owner alone may read it.

#if Tools
import Foundation
import RealmQuery
package import RealmStorage
import RealmTables

/// Makes copies in the present format.
package enum UpgradedCopy {
  /// Opens a temporary copy of a file that is in an older format.
  package static func open(
    _ path: String, key: EncryptionKey?
  ) throws(StorageError) -> DatabaseFile {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/realm-older-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else {
      throw .system(operation: "Making a temporary file in", path: folder, code: errno)
    }
    close(descriptor)
    let copy = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    UnfinishedFiles.add(copy)
    defer {
      NewFile.remove(copy)
      UnfinishedFiles.remove(copy)
    }
    _ = try write(path, key: key, to: copy)
    return try DatabaseFile.openForReading(path: copy, key: key).file
  }

  /// Writes a copy of a file that is in an older format.
  ///
  /// - Returns: False, and nothing is written, for a file in the present format.
  package static func write(
    _ path: String, key: EncryptionKey?, to copy: String
  ) throws(StorageError) -> Bool {
    let target = try SystemFiles().open(path: copy, mode: .readWriteCreating)
    let format = try DatabaseFile.writeUpgraded(path: path, key: key, to: target)
    return FileHeader.upgradableVersions.contains(format)
  }
}
#endif
