// SPDX-License-Identifier: Apache-2.0

// Rights of files and folders with secrets: tokens, keys, hashes of passwords.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Takes the rights of others away.
///
/// What is there is restricted as far as the system lets it: a volume without rights, or a file of
/// another owner, is no reason to stop.
package enum PrivatePlace {
  private static let others: mode_t = 0o077

  /// Makes a folder of 0700 in one that is there; a folder that is there gets those rights.
  package static func makeFolder(_ path: String) throws(StorageError) {
    if unsafe mkdir(path, 0o700) == 0 { return }
    guard errno == EEXIST else { throw .system(operation: "Creating", path: path, code: errno) }
    restrict(path)
  }

  /// Makes a folder and the folders above it that are missing, each of 0700; those that are there
  /// keep their rights.
  package static func makeMissingFolders(_ path: String) throws(StorageError) {
    if isFolder(path) { return }
    if unsafe mkdir(path, 0o700) == 0 { return }
    let code = errno
    if code == ENOENT, let end = path.lastIndex(of: "/"), end > path.startIndex {
      try makeMissingFolders(String(path[..<end]))
      if unsafe mkdir(path, 0o700) == 0 { return }
    }
    // Another thread, or process, may have made it meanwhile.
    if isFolder(path) { return }
    throw .system(operation: "Creating", path: path, code: code == ENOENT ? errno : code)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Restricts the file or folder at a path, if there is one.
  package static func restrict(_ path: String) {
    let descriptor = unsafe realm_open(path, O_RDONLY, 0)
    guard descriptor >= 0 else { return }
    restrict(descriptor)
    close(descriptor)
  }

  /// Restricts an open file.
  static func restrict(_ descriptor: CInt) {
    if let rights = rights(descriptor), rights & others != 0 {
      _ = fchmod(descriptor, rights & ~others)
    }
  }

  private static func rights(_ descriptor: CInt) -> mode_t? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    return status.st_mode & 0o7777
  }
}
