// SPDX-License-Identifier: Apache-2.0

// The open databases of the process.

import Synchronization

/// Finds the one `DatabaseFile` of a file that is already open.
///
/// Opening happens under the registry's lock, so that two threads cannot open a file twice.
package final class FileRegistry: Sendable {
  /// The registry of the process.
  package static let shared = FileRegistry()

  private struct Entry {
    weak var file: DatabaseFile?
  }

  private let entries = Guarded<[FileIdentity: Entry]>([:])

  /// An empty registry.
  package init() {}

  /// The open database with that identity, or the one that `open` makes.
  ///
  /// A poisoned one is left to its users: who opens the file again gets a new start.
  func file(
    _ identity: FileIdentity, open: () throws(StorageError) -> DatabaseFile
  ) throws(StorageError) -> DatabaseFile {
    try entries.withLock { entries throws(StorageError) in
      if let file = entries[identity]?.file, !file.isPoisoned { return file }
      let file = try open()
      entries = entries.filter { $0.value.file != nil }
      entries[identity] = Entry(file: file)
      return file
    }
  }

  /// Runs `body` while nobody in the process has the database with that identity open, nor opens
  /// it; false if somebody has, or if `body` says so.
  func whileClosed(
    _ identity: FileIdentity, _ body: () throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    try entries.withLock { entries throws(StorageError) in
      if entries[identity]?.file != nil { return false }
      return try body()
    }
  }
}
