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
  package static func write(_ bytes: [UInt8], to path: String) throws(StorageError) {
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
    try file.sync()
    guard unsafe rename(temporary, path) == 0 else {
      throw .system(operation: "Renaming", path: path, code: errno)
    }
    try files.syncDirectory(of: path)
  }
}
#endif
