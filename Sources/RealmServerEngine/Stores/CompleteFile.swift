// SPDX-License-Identifier: Apache-2.0

// Files that are there with what they need, or not at all.
//
// Invariants:
// 1. A file has its name only once its tables are on the disk. So one that is empty was damaged,
//    whenever the server that made it ended.
// 2. Its name is on the disk when it is made: what is stored in it later cannot go with its name.

package import RealmStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Makes files whose name appears with their content.
package enum CompleteFile {
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0
  }

  /// Makes a file at `path` with what `body` writes.
  package static func make(
    _ path: String, options: OpenOptions = OpenOptions(),
    system: any FileSystem = SystemFiles(isPrivate: true),
    _ body: (DatabaseFile) throws(StorageError) -> Void
  ) throws(StorageError) {
    let unfinished = path + ".unfinished"
    remove(unfinished)
    defer { remove(unfinished) }
    try fill(unfinished, options, system, body)
    guard unsafe rename(unfinished, path) == 0 else {
      throw .system(operation: "Renaming", path: path, code: errno)
    }
    try system.syncDirectory(of: path)
  }

  /// The file is closed when this returns: with the new name it needs a lock file of that name.
  /// What settles a commit a second later may keep it open for a moment.
  private static func fill(
    _ path: String, _ options: OpenOptions, _ system: any FileSystem,
    _ body: (DatabaseFile) throws(StorageError) -> Void
  ) throws(StorageError) {
    weak var closing: DatabaseFile?
    do {
      // Nobody else gets this one, whatever the file is called.
      let file = try DatabaseFile.open(
        path: path, options: options, system: system, registry: FileRegistry())
      closing = file
      try body(file)
    }
    while closing != nil { usleep(1000) }
  }

  private static func remove(_ path: String) {
    unsafe unlink(path)
    unsafe unlink(path + ".lock")
  }
}
