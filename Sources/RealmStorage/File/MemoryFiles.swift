// SPDX-License-Identifier: Apache-2.0

// Files that have a name and live in memory, as long as they are open.

import CRealmPlatform

/// A file system in memory: databases in it vanish with their last user.
package final class MemoryFiles: FileSystem {
  /// The files of this process's in-memory databases, by their identifiers.
  package static let shared = MemoryFiles()

  private struct Entry {
    weak var file: SystemFile?
  }

  private struct State {
    var files: [String: Entry] = [:]
    /// At so many names the ones without a file are dropped.
    var limit = 64

    mutating func dropClosed() {
      guard files.count >= limit else { return }
      files = files.filter { $0.value.file != nil }
      limit = max(64, files.count * 2)
    }
  }

  private let state = Locked(State())

  package init() {}

  package func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
    let result = state.withLock { state -> Result<SystemFile, StorageError> in
      if let file = state.files[path]?.file { return .success(file) }
      state.dropClosed()
      do throws(StorageError) {
        let file = try Self.makeFile(named: path)
        state.files[path] = Entry(file: file)
        return .success(file)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Forgets all names: who opens one of them gets a new file. Files that are open stay.
  package func forgetAll() { state.withLock { $0.files.removeAll() } }

  /// A new empty file that only the caller knows.
  package static func makeFile(named path: String) throws(StorageError) -> SystemFile {
    if realm_is_forked() { throw .forkedProcess(path: path) }
    let descriptor = realm_memory_file()
    guard descriptor >= 0 else {
      throw .system(operation: "Opening", path: path, code: -descriptor)
    }
    return try SystemFile(path: path, descriptor: descriptor)
  }
}
