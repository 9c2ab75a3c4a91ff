// SPDX-License-Identifier: Apache-2.0

// Real files whose syncs are counted, and can be delayed or made to fail. The disk can be full.
//
// A test opens the database with this file system first and keeps it; other opens of the same path
// in this process afterwards get the same open file.

package import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file system that passes calls to the system's and controls syncs and growth.
package final class WatchedFiles: FileSystem {
  private struct State {
    var syncCount = 0
    var syncedDirectories: [String] = []
    var failsSyncs = false
    var holdsSyncs = false
    var isFull = false
    var refusesWrites = false
  }

  private let state = Locked(State())
  private let system: SystemFiles

  /// A file system on which nothing has happened yet.
  ///
  /// - Parameter isPrivate: Whether files are made for their owner alone.
  package init(isPrivate: Bool = false) { system = SystemFiles(isPrivate: isPrivate) }

  /// The number of syncs of databases so far.
  package var syncCount: Int { state.withLock { $0.syncCount } }

  /// The directories that were synced so far.
  package var syncedDirectories: [String] { state.withLock { $0.syncedDirectories } }

  /// Makes all syncs of databases fail from now on.
  package func failSyncs() { state.withLock { $0.failsSyncs = true } }

  /// Sets whether files cannot grow, as on a full disk.
  ///
  /// - Parameter refusesWrites: Whether nothing can be written or cut either, as on a disk whose
  ///   files share their blocks with copies.
  package func fillDisk(_ isFull: Bool, refusesWrites: Bool = false) {
    state.withLock { ($0.isFull, $0.refusesWrites) = (isFull, isFull && refusesWrites) }
  }

  fileprivate func check(
    _ operation: String, _ path: String, isGrowth: Bool = false
  ) throws(StorageError) {
    let isRefused = state.withLock { isGrowth ? $0.isFull : $0.refusesWrites }
    if isRefused { throw .system(operation: operation, path: path, code: ENOSPC) }
  }

  /// Sets whether syncs of databases wait.
  package func holdSyncs(_ holds: Bool) { state.withLock { $0.holdsSyncs = holds } }

  /// Makes syncs wait while `body` runs, which must not need one.
  package func withoutSyncs<Result>(_ body: () throws -> Result) rethrows -> Result {
    holdSyncs(true)
    defer { holdSyncs(false) }
    return try body()
  }

  package func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
    WatchedFile(try system.open(path: path, mode: mode), self)
  }

  package func syncDirectory(of path: String) throws(StorageError) {
    try system.syncDirectory(of: path)
    let directory = path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    state.withLock { $0.syncedDirectories.append(directory.joined(separator: "/")) }
  }

  fileprivate func sync(_ file: any StorageFile) throws(StorageError) {
    while state.withLock({ $0.holdsSyncs }) { usleep(200) }
    let fails = state.withLock { state in
      state.syncCount += 1
      return state.failsSyncs
    }
    if fails { throw .system(operation: "Syncing", path: file.path, code: EIO) }
    try file.syncOnce()
  }
}

/// A file of `WatchedFiles`; lock files are never synced.
private final class WatchedFile: LayeredFile {
  let file: any StorageFile
  private let files: WatchedFiles

  init(_ file: any StorageFile, _ files: WatchedFiles) {
    self.file = file
    self.files = files
  }

  func byteCount() throws(StorageError) -> Int { try file.byteCount() }

  func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int { try file.readSome(into: buffer, at: offset) }

  func writeSome(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try files.check("Writing", path)
    return try file.writeSome(bytes, at: offset)
  }

  func syncOnce() throws(StorageError) { try files.sync(file) }

  func resize(to byteCount: Int) throws(StorageError) {
    try files.check("Resizing", path)
    try file.resize(to: byteCount)
  }

  func allocate(_ range: Range<Int>) throws(StorageError) {
    try files.check("Growing", path, isGrowth: true)
    try file.allocate(range)
  }

  func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError) { try file.map(range, at: address, isWritable: isWritable) }
}
