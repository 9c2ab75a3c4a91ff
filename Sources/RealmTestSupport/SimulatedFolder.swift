// SPDX-License-Identifier: Apache-2.0

// A folder with simulated files, for what replaces files: which names are durable, and what is left
// when a process dies at any of its calls.

package import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file system of simulated files with names.
///
/// Calls of all files and of the folder are counted together.
package final class SimulatedFolder: FileSystem {
  /// A change of names. Their order is the order in which they were made.
  package enum Event: Hashable, Sendable {
    case make(String)
    case replace(String, by: String)
    case remove(String)
    case sync
  }

  private struct State {
    var files: [String: SimulatedFile] = [:]
    var events: [Event] = []
    var callCount = 0
    var lastCall = Int.max
    var losesSyncs = false
  }

  private let state = Locked(State())
  private let lockFiles = MemoryFiles()
  private let openLockFiles = Locked<[String: any StorageFile]>([:])

  /// A folder with one file.
  package init(_ path: String, contents: [UInt8]) throws(StorageError) {
    let file = try makeFile(path, contents)
    state.withLock { $0.files[path] = file }
  }

  private func makeFile(
    _ path: String, _ contents: [UInt8]
  ) throws(StorageError) -> SimulatedFile {
    try SimulatedFile(path: path, contents: contents) {
      [weak self] (operation) throws(StorageError) in
      try self?.begin(operation, path)
    }
  }

  private func begin(_ operation: String, _ path: String) throws(StorageError) {
    let isDead = state.withLock { state in
      state.callCount += 1
      return state.callCount > state.lastCall
    }
    if isDead { throw .system(operation: operation, path: path, code: EIO) }
  }

  // MARK: For tests

  /// The number of calls so far.
  package var callCount: Int { state.withLock { $0.callCount } }

  /// The changes of names so far.
  package var events: [Event] { state.withLock { $0.events } }

  /// The files by their names.
  package var files: [String: SimulatedFile] { state.withLock { $0.files } }

  /// Lets the process die after so many calls from now on: all others fail, and do nothing.
  package func die(afterCalls count: Int) {
    state.withLock { $0.lastCall = $0.callCount + count }
  }

  /// Sets whether syncs of copies that are made from now on do nothing, and report success.
  package func ignoreSyncs(_ ignores: Bool) { state.withLock { $0.losesSyncs = ignores } }

  /// Begins the next process: calls are made again, and lock files are void.
  package func restart() {
    state.withLock { $0.lastCall = .max }
    let old = openLockFiles.withLock { files in
      defer { files = [:] }
      return files
    }
    withExtendedLifetime(old) {}
  }

  // MARK: Calls

  package func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
    if path.hasSuffix(".lock") {
      let file = try lockFiles.open(path: path, mode: mode)
      openLockFiles.withLock { $0[path] = file }
      return file
    }
    try begin("Opening", path)
    guard let file = state.withLock({ $0.files[path] }) else {
      throw .system(operation: "Opening", path: path, code: ENOENT)
    }
    return file
  }

  package func syncDirectory(of path: String) throws(StorageError) {
    try begin("Syncing", path)
    state.withLock { $0.events.append(.sync) }
  }

  package func makeCopy(
    _ path: String, rights: FileRights?
  ) throws(StorageError) -> any StorageFile {
    try begin("Opening", path)
    let file = try makeFile(path, [])
    if state.withLock({ $0.losesSyncs }) { file.ignoreSyncs { _ in true } }
    state.withLock { state in
      state.files[path] = file
      state.events.append(.make(path))
    }
    return file
  }

  package func resumeCopy(
    _ path: String, rights: FileRights?
  ) throws(StorageError) -> (any StorageFile)? {
    guard let file = state.withLock({ $0.files[path] }) else {
      return try makeCopy(path, rights: rights)
    }
    try begin("Opening", path)
    return file
  }

  package func removeUnfinishedCopy(_ path: String) { discard(path) }

  package func discard(_ path: String) {
    guard (try? begin("Removing", path)) != nil else { return }
    state.withLock { state in
      if state.files.removeValue(forKey: path) != nil { state.events.append(.remove(path)) }
    }
  }

  package func replace(_ path: String, by copy: String) throws(StorageError) {
    try begin("Replacing", path)
    state.withLock { state in
      state.files[copy]?.rename(to: path)
      state.files[path] = state.files.removeValue(forKey: copy)
      state.events.append(.replace(path, by: copy))
    }
  }
}
