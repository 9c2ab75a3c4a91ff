// SPDX-License-Identifier: Apache-2.0

// Real files whose syncs are counted, and can be delayed or made to fail.
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
    var failsSyncs = false
    var holdsSyncs = false
    var isFull = false
  }

  private let state = Locked(State())
  private let system = SystemFiles()

  /// A file system on which nothing has happened yet.
  package init() {}

  /// The number of syncs of databases so far.
  package var syncCount: Int { state.withLock { $0.syncCount } }

  /// Makes all syncs of databases fail from now on.
  package func failSyncs() { state.withLock { $0.failsSyncs = true } }

  /// Sets whether files cannot grow, as on a full disk.
  package func fillDisk(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

  fileprivate var isFull: Bool { state.withLock { $0.isFull } }

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
private final class WatchedFile: StorageFile {
  private let file: any StorageFile
  private let files: WatchedFiles

  init(_ file: any StorageFile, _ files: WatchedFiles) {
    self.file = file
    self.files = files
  }

  var path: String { file.path }
  var identity: FileIdentity { file.identity }

  func byteCount() throws(StorageError) -> Int { try file.byteCount() }

  func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int { try file.readSome(into: buffer, at: offset) }

  func writeSome(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try file.writeSome(bytes, at: offset)
  }

  func syncOnce() throws(StorageError) { try files.sync(file) }

  func resize(to byteCount: Int) throws(StorageError) { try file.resize(to: byteCount) }

  func allocate(_ range: Range<Int>) throws(StorageError) {
    if files.isFull { throw .system(operation: "Growing", path: path, code: ENOSPC) }
    try file.allocate(range)
  }

  func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError) { try file.map(range, at: address, isWritable: isWritable) }

  func tryLock(exclusive: Bool) throws(StorageError) -> Bool {
    try file.tryLock(exclusive: exclusive)
  }

  func unlock() { file.unlock() }

  func lockByte(at offset: Int, waits: Bool) throws(StorageError) -> Bool {
    try file.lockByte(at: offset, waits: waits)
  }

  func unlockByte(at offset: Int) { file.unlockByte(at: offset) }
}
