// SPDX-License-Identifier: Apache-2.0

// Small files with keys, settings and mails.

#if Server
package import RealmStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Writes files whole or not at all.
package enum DurableFile {
  /// Writes a file that no other user can read. Content and name are on the disk on return.
  ///
  /// - Parameter folder: The file is its owner's; nil for that of the process. Only the superuser
  ///   can give files away.
  package static func write(
    _ bytes: [UInt8], to path: String, asOwnerOf folder: String? = nil
  ) throws(StorageError) {
    let temporary = path + ".new"
    unsafe unlink(temporary)
    let files = SystemFiles(isPrivate: true)
    let file = try files.open(path: temporary, mode: .readWriteCreating)
    let failure = unsafe bytes.withUnsafeBytes { bytes -> StorageError? in
      do throws(StorageError) {
        try unsafe file.write(bytes, at: 0)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    if let folder { giveAway(temporary, toOwnerOf: folder) }
    try file.sync()
    guard unsafe rename(temporary, path) == 0 else {
      throw .system(operation: "Renaming", path: path, code: errno)
    }
    try files.syncDirectory(of: path)
  }

  /// Makes the owner of a folder that of a file, where that is another and may be done.
  private static func giveAway(_ path: String, toOwnerOf folder: String) {
    var facts = stat()
    guard unsafe stat(folder, &facts) == 0, facts.st_uid != geteuid() else { return }
    _ = unsafe chown(path, facts.st_uid, facts.st_gid)
  }
}
#endif
