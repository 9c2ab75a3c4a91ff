// SPDX-License-Identifier: Apache-2.0

// Files by system calls.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An open file of the operating system.
///
/// A child process that is forked without exec gets its copy closed: it shares no lock with its
/// parent, and whatever it asks of the file is refused.
@safe
package final class SystemFile: StorageFile {
  package let path: String
  package let identity: FileIdentity
  // nonisolated(unsafe): a number that never changes, but in a forked child before it runs.
  nonisolated(unsafe) private let descriptorCell: UnsafeMutablePointer<CInt>
  // nonisolated(unsafe): set once; only C code, which locks, reads what it points to.
  nonisolated(unsafe) private let forkItem: OpaquePointer?

  /// -1 in a forked child.
  private var descriptor: CInt { unsafe descriptorCell.pointee }

  /// Takes over an open file descriptor.
  ///
  /// - Throws: `StorageError.system` with EISDIR for a directory.
  package init(path: String, descriptor: CInt) throws(StorageError) {
    self.path = path
    unsafe descriptorCell = .allocate(capacity: 1)
    unsafe descriptorCell.initialize(to: descriptor)
    unsafe forkItem = unsafe realm_fork_add(REALM_FORK_CLOSE, descriptorCell, 0)
    var status = stat()
    let code = unsafe fstat(descriptor, &status) == 0 ? 0 : errno
    identity = FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
    guard code == 0 else { throw .system(operation: "Opening", path: path, code: code) }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw .system(operation: "Opening", path: path, code: EISDIR)
    }
  }

  deinit {
    unsafe realm_fork_remove(forkItem)
    if descriptor >= 0 {
      // A child process that is being started has a copy of the descriptor until it runs its
      // program, and with it the lock: closing alone would not give that up.
      unlock()
      close(descriptor)
    }
    unsafe descriptorCell.deallocate()
  }

  private func check(_ operation: String, _ code: CInt) throws(StorageError) {
    if code != 0 { throw failure(operation, code) }
  }

  private func failure(_ operation: String, _ code: CInt) -> StorageError {
    realm_is_forked()
      ? .forkedProcess(path: path) : .system(operation: operation, path: path, code: code)
  }

  /// Not by `fstat`: newer kernels give a file whose times were read a finer time with its next
  /// write, and then each sync of a commit has the inode to write as well, which costs a tenth.
  package func byteCount() throws(StorageError) -> Int {
    let end = lseek(descriptor, 0, SEEK_END)
    guard end >= 0 else { throw failure("Measuring", errno) }
    return Int(end)
  }

  package func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    guard count >= 0 else { throw failure("Reading", errno) }
    return count
  }

  package func writeSome(
    _ bytes: UnsafeRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    let count = unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    guard count >= 0 else { throw failure("Writing", errno) }
    return count
  }

  package func syncOnce() throws(StorageError) {
    try check("Syncing", realm_sync(descriptor))
  }

  package func forgetCached() {
    #if canImport(Darwin)
    let end = lseek(descriptor, 0, SEEK_END)
    guard end > 0,
      let pages = unsafe mmap(nil, Int(end), PROT_READ, MAP_SHARED, descriptor, 0),
      unsafe pages != MAP_FAILED
    else { return }
    unsafe msync(pages, Int(end), MS_INVALIDATE)
    unsafe munmap(pages, Int(end))
    #else
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
    #endif
  }

  package func resize(to byteCount: Int) throws(StorageError) {
    while ftruncate(descriptor, off_t(byteCount)) != 0 {
      let code = errno
      if code != EINTR { throw failure("Resizing", code) }
    }
  }

  package func allocate(_ range: Range<Int>) throws(StorageError) {
    guard !range.isEmpty else { return }
    var code: CInt
    repeat {
      code = realm_allocate(descriptor, Int64(range.lowerBound), Int64(range.count))
    } while code == EINTR
    try check("Growing", code)
  }

  package func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError) {
    guard !range.isEmpty else { return }
    let protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
    let result = unsafe mmap(
      address, range.count, protection, MAP_SHARED | MAP_FIXED, descriptor,
      off_t(range.lowerBound))
    guard unsafe result != MAP_FAILED else {
      throw failure("Mapping", errno)
    }
  }

  package func tryLock(exclusive: Bool) throws(StorageError) -> Bool {
    while true {
      let code = realm_lock_file(descriptor, exclusive)
      if code == EWOULDBLOCK { return false }
      if code == EINTR { continue }
      try check("Locking", code)
      return true
    }
  }

  package func unlock() { _ = realm_unlock_file(descriptor) }

  package func lockByte(at offset: Int, waits: Bool) throws(StorageError) -> Bool {
    let code = realm_lock_byte(descriptor, Int64(offset), waits)
    if code == EAGAIN { return false }
    try check("Locking", code)
    return true
  }

  package func shareByte(at offset: Int) throws(StorageError) -> Bool {
    let code = realm_share_byte(descriptor, Int64(offset))
    if code == EAGAIN { return false }
    try check("Locking", code)
    return true
  }

  package func isByteLocked(at offset: Int) throws(StorageError) -> Bool {
    var isLocked = false
    try check("Locking", unsafe realm_find_byte_lock(descriptor, Int64(offset), &isLocked))
    return isLocked
  }

  package func unlockByte(at offset: Int) {
    _ = realm_unlock_byte(descriptor, Int64(offset))
  }
}
