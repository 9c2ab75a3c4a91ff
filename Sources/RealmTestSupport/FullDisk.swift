// SPDX-License-Identifier: Apache-2.0

// A disk that is full when a test says so.

package import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The files of the system, which cannot grow or be written while the disk is full.
package final class FullDisk: FileSystem {
  private let isFull = Locked(false)

  package init() {}

  /// Fills the disk, or makes room again, for all files that were opened through this.
  package func setFull(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }

  package func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
    let file = try SystemFiles().open(path: path, mode: mode)
    // Lock files are there before the disk is full.
    return path.hasSuffix(".lock") ? file : FullDiskFile(file, self)
  }

  fileprivate func check(_ operation: String, _ path: String) throws(StorageError) {
    if isFull.withLock({ $0 }) { throw .system(operation: operation, path: path, code: ENOSPC) }
  }
}

/// A file of a `FullDisk`.
private final class FullDiskFile: StorageFile {
  private let file: any StorageFile
  private let disk: FullDisk

  init(_ file: any StorageFile, _ disk: FullDisk) {
    self.file = file
    self.disk = disk
  }

  var path: String { file.path }
  var identity: FileIdentity { file.identity }

  func byteCount() throws(StorageError) -> Int { try file.byteCount() }

  func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    try file.readSome(into: buffer, at: offset)
  }

  func writeSome(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    try disk.check("Writing", path)
    return try file.writeSome(bytes, at: offset)
  }

  func syncOnce() throws(StorageError) { try file.syncOnce() }

  func resize(to byteCount: Int) throws(StorageError) {
    try disk.check("Resizing", path)
    try file.resize(to: byteCount)
  }

  func allocate(_ range: Range<Int>) throws(StorageError) {
    try disk.check("Growing", path)
    try file.allocate(range)
  }

  func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError) {
    try file.map(range, at: address, isWritable: isWritable)
  }

  func tryLock(exclusive: Bool) throws(StorageError) -> Bool {
    try file.tryLock(exclusive: exclusive)
  }

  func unlock() { file.unlock() }

  func lockByte(at offset: Int, waits: Bool) throws(StorageError) -> Bool {
    try file.lockByte(at: offset, waits: waits)
  }

  func unlockByte(at offset: Int) { file.unlockByte(at: offset) }
}
