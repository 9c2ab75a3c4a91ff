// SPDX-License-Identifier: Apache-2.0

// Directories of the operating system.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The directories in which files are.
enum SystemDirectory {
  /// Makes what was done to names in the directory of `path` durable.
  static func sync(of path: String) throws(StorageError) {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let directory =
      end == path.startIndex ? (path.hasPrefix("/") ? "/" : ".") : String(path[..<end])
    let descriptor = unsafe realm_open(directory, O_RDONLY, 0)
    guard descriptor >= 0 else {
      throw .system(operation: "Opening", path: directory, code: -descriptor)
    }
    defer { close(descriptor) }
    // Some file systems have nothing to sync for directories, and say EINVAL.
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw .system(operation: "Syncing", path: directory, code: errno)
    }
  }
}
