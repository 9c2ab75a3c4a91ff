// SPDX-License-Identifier: Apache-2.0

// Files by system calls.

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The files of the operating system.
package struct SystemFiles: FileSystem {
  /// The bytes of a page of memory, the unit of mappings.
  static let pageSize = Int(getpagesize())

  /// Whether no other user of the machine may read the files.
  private let isPrivate: Bool

  /// The rights of new files; nil for the usual ones.
  private let rights: FileRights?

  /// - Parameter path: New files get the owner and the rights of this one. A file with more rights
  ///   for others loses them when it is opened.
  package init(asFileAt path: String) {
    isPrivate = false
    rights = FileRights(of: path)
  }

  /// - Parameter isPrivate: Whether files are made with the rights 0600, and others that are opened
  ///   for writing get them, where the system lets them.
  package init(isPrivate: Bool = false) {
    self.isPrivate = isPrivate
    rights = nil
  }

  package func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile {
    if realm_is_forked() { throw .forkedProcess(path: path) }
    let flags =
      switch mode {
      case .readOnly: O_RDONLY
      case .readWrite: O_RDWR
      case .readWriteCreating: O_RDWR | O_CREAT
      }
    var descriptor: CInt = -EEXIST
    if let rights, mode == .readWriteCreating {
      // Nobody else may open it before it has its rights.
      descriptor = unsafe realm_open(path, flags | O_EXCL, 0o600)
      if descriptor >= 0 { rights.apply(toNew: descriptor) }
    }
    if descriptor == -EEXIST {
      descriptor = unsafe realm_open(path, flags, isPrivate ? 0o600 : 0o644)
      if descriptor >= 0, mode != .readOnly { rights?.narrow(descriptor) }
    }
    guard descriptor >= 0 else {
      throw .system(operation: "Opening", path: path, code: -descriptor)
    }
    if isPrivate, mode != .readOnly { PrivatePlace.restrict(descriptor) }
    return try SystemFile(path: path, descriptor: descriptor)
  }

  package func makeCopy(
    _ path: String, rights: FileRights?
  ) throws(StorageError) -> any StorageFile {
    try SideFile.makeCopy(path, rights: rights)
  }

  package func removeUnfinishedCopy(_ path: String) {
    // Anything else stays; a compaction says so.
    try? SideFile.removeUnfinishedCopy(path)
  }

  package func discard(_ path: String) { unsafe unlink(path) }

  package func replace(_ path: String, by copy: String) throws(StorageError) {
    guard unsafe rename(copy, path) == 0 else {
      throw .system(operation: "Replacing", path: path, code: errno)
    }
  }

  package func resolved(_ path: String) throws(StorageError) -> String {
    try SymbolicLinks.resolved(path)
  }

  package func openLockFile(
    path: String, check: (any StorageFile) throws(StorageError) -> Void
  ) throws(StorageError) -> any StorageFile {
    if let rights, let descriptor = try SideFile.make(path, rights) {
      return try SystemFile(path: path, descriptor: descriptor)
    }
    let descriptor = try SideFile.open(
      path, flags: O_RDWR | O_CREAT, mode: isPrivate ? 0o600 : 0o644, role: "lock file")
    let file = try SystemFile(path: path, descriptor: descriptor)
    try check(file)
    if isPrivate { PrivatePlace.restrict(descriptor) }
    rights?.narrow(descriptor)
    return file
  }
}

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

  package func unlockByte(at offset: Int) {
    _ = realm_unlock_byte(descriptor, Int64(offset))
  }
}
