// SPDX-License-Identifier: Apache-2.0

// The open databases of the process.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Finds the one `DatabaseFile` of a file that is already open.
///
/// Opening happens under the registry's lock, so that two threads cannot open a file twice.
package final class FileRegistry: Sendable {
  package static let shared = FileRegistry()

  private struct Entry {
    weak var file: DatabaseFile?
  }

  private struct State {
    var entries: [FileIdentity: Entry] = [:]
    /// At so many entries the ones without a file are dropped.
    var entryLimit = 64
    /// The files that must stay closed while an operation on them runs.
    var closed: Set<FileIdentity> = []

    /// Drops the entries of closed files, now and then: a process may have very many files open.
    mutating func dropClosed() {
      guard entries.count >= entryLimit else { return }
      entries = entries.filter { $0.value.file != nil }
      entryLimit = max(64, entries.count * 2)
    }
  }

  private let state = Locked(State())

  package init() {}

  /// The open database with that identity, or the one that `open` makes.
  ///
  /// A poisoned one is left to its users: who opens the file again gets a new start. So is one for
  /// reading only, if it is to be written now.
  func file(
    _ identity: FileIdentity, isReadOnly: Bool,
    open: () throws(StorageError) -> DatabaseFile
  ) throws(StorageError) -> DatabaseFile {
    while true {
      let file = try state.withLock { (state) throws(StorageError) -> DatabaseFile? in
        if state.closed.contains(identity) { return nil }
        if let file = state.entries[identity]?.file, !file.isPoisoned,
          isReadOnly || !file.options.isReadOnly
        {
          return file
        }
        let file = try open()
        state.dropClosed()
        state.entries[identity] = Entry(file: file)
        return file
      }
      if let file { return file }
      usleep(1000)
    }
  }

  /// The databases that are open.
  package var openFiles: [DatabaseFile] {
    state.withLock { $0.entries.values.compactMap(\.file) }
  }

  /// Runs `body` while the database with that identity is not open in the process; callers that
  /// open it meanwhile wait. False if it is open, or if `body` returns false.
  func whileClosed(
    _ identity: FileIdentity, _ body: () throws(StorageError) -> Bool
  ) throws(StorageError) -> Bool {
    // Other files can be opened while `body` runs, which may take long.
    let isFree = state.withLock { state in
      guard state.entries[identity]?.file == nil else { return false }
      return state.closed.insert(identity).inserted
    }
    guard isFree else { return false }
    defer { state.withLock { _ = $0.closed.remove(identity) } }
    return try body()
  }
}
