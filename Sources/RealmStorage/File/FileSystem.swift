// SPDX-License-Identifier: Apache-2.0

// The one door between the storage engine and the operating system's files.
//
// Everything the engine does to a file goes through these two protocols. Production implements them
// by system calls (`SystemFiles`), in-memory databases by a file without a name (`MemoryFiles`),
// tests by a file that records, fails on demand and can be reopened in any crash state.
//
// 1. The primitives may transfer less than they were asked to and may fail with EINTR, as the
//    system's do; the loops that deal with it are in the extension below, so that tests reach them.
// 2. A failed `sync` is never repeated: the kernel may have dropped the pages it could not write.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Opens files.
package protocol FileSystem: Sendable {
  /// Opens or creates the file at `path`.
  ///
  /// - Throws: `StorageError.system` with the operation "Opening".
  func open(path: String, mode: FileOpenMode) throws(StorageError) -> any StorageFile

  /// Makes what was done to names in the directory of `path` durable.
  func syncDirectory(of path: String) throws(StorageError)

  /// Makes the file of a copy that is going to replace the file beside it, in place of what an
  /// interrupted attempt has left.
  ///
  /// - Parameter rights: Those of the file that is copied.
  /// - Throws: `StorageError.foreignFile` for anything that is no such copy.
  func makeCopy(_ path: String, rights: FileRights?) throws(StorageError) -> any StorageFile

  /// Opens what an interrupted attempt left of a copy, or makes the file of one. It is locked for
  /// other attempts until it is closed.
  ///
  /// - Parameter rights: Those of the file that is copied.
  /// - Returns: nil if anything else is there, if another attempt has it, and where files have no
  ///   locks.
  func resumeCopy(
    _ path: String, rights: FileRights?
  ) throws(StorageError) -> (any StorageFile)?

  /// Removes the copy of an interrupted attempt; what is anything else stays.
  func removeUnfinishedCopy(_ path: String)

  /// Removes a file that the caller has made, as far as that is possible.
  func discard(_ path: String)

  /// Gives the copy the name of the file, in one step.
  func replace(_ path: String, by copy: String) throws(StorageError)

  /// The path at the end of a symbolic link, with or without a file there; `path` itself if there
  /// is no link. The names of the files beside the database are made from it.
  func resolved(_ path: String) throws(StorageError) -> String

  /// The file system for the files beside the one at `path`: they give no other user more rights.
  func sideFiles(of path: String) -> any FileSystem

  /// Opens or creates the lock file at `path`, for reading and writing.
  ///
  /// - Parameter check: Looks at what was found there, before its rights are changed.
  /// - Throws: `StorageError.foreignFile` for links, directories and the like, and what `check`
  ///   throws; what is there stays as it is, with its rights.
  func openLockFile(
    path: String, check: (any StorageFile) throws(StorageError) -> Void
  ) throws(StorageError) -> any StorageFile
}

extension FileSystem {
  package func sideFiles(of path: String) -> any FileSystem { self }

  /// The system's directories are synced.
  package func syncDirectory(of path: String) throws(StorageError) {
    try SystemDirectory.sync(of: path)
  }

  // Only the system's files, and those of tests, are replaced.

  package func makeCopy(
    _ path: String, rights: FileRights?
  ) throws(StorageError) -> any StorageFile {
    throw .system(operation: "Opening", path: path, code: ENOTSUP)
  }

  package func resumeCopy(
    _ path: String, rights: FileRights?
  ) throws(StorageError) -> (any StorageFile)? { nil }

  package func removeUnfinishedCopy(_ path: String) {}

  package func discard(_ path: String) {}

  package func replace(_ path: String, by copy: String) throws(StorageError) {
    throw .system(operation: "Replacing", path: path, code: ENOTSUP)
  }

  /// Only the system's files have links.
  package func resolved(_ path: String) throws(StorageError) -> String { path }

  package func openLockFile(
    path: String, check: (any StorageFile) throws(StorageError) -> Void
  ) throws(StorageError) -> any StorageFile {
    let file = try open(path: path, mode: .readWriteCreating)
    try check(file)
    return file
  }
}

/// The access that a file is opened for.
package enum FileOpenMode: Sendable {
  case readOnly
  case readWrite
  /// As `readWrite`; the file is created if it is missing.
  case readWriteCreating
}

/// Which file it is, whatever path led to it.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
}

/// An open file; closed with its last reference. Safe for concurrent use.
package protocol StorageFile: AnyObject, Sendable {
  var path: String { get }
  var identity: FileIdentity { get }

  func byteCount() throws(StorageError) -> Int

  /// Reads up to `buffer.count` bytes; 0 at the end of the file.
  func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int

  /// Writes up to `bytes.count` bytes and says how many.
  func writeSome(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) -> Int

  /// Returns when all that was written before is durable.
  func syncOnce() throws(StorageError)

  /// Lets the system forget the written pages of the file in its memory, as far as it can. To be
  /// called after a failed sync; nothing may rely on it.
  func forgetCached()

  /// Cuts or extends the file; what is added reads as zero.
  func resize(to byteCount: Int) throws(StorageError)

  /// Makes the file `range.upperBound` bytes long, with disk space allocated for the whole range.
  func allocate(_ range: Range<Int>) throws(StorageError)

  /// Shows the range of the file at `address`; both are page-aligned (the upper bound need not be).
  ///
  /// The memory belongs to the caller, who unmaps it with the address range it lies in.
  func map(
    _ range: Range<Int>, at address: UnsafeMutableRawPointer, isWritable: Bool
  ) throws(StorageError)

  /// Takes the lock of the whole file, shared or exclusive, or changes the one it holds, without
  /// waiting. False if another holder's lock conflicts.
  func tryLock(exclusive: Bool) throws(StorageError) -> Bool
  func unlock()

  /// Takes the exclusive lock of one byte, which need not exist, for this open file (not for the
  /// calling thread). False if it is taken and `waits` is false.
  func lockByte(at offset: Int, waits: Bool) throws(StorageError) -> Bool
  /// Takes the lock of one byte together with others, or in place of the exclusive lock of this
  /// file, without waiting. False if another one has it exclusively.
  func shareByte(at offset: Int) throws(StorageError) -> Bool
  /// Whether another open file has a lock of the byte.
  func isByteLocked(at offset: Int) throws(StorageError) -> Bool
  func unlockByte(at offset: Int)

  /// This file, if its pages are encrypted. A cast would search all conformances of the process
  /// where the first file is opened.
  var asEncrypted: EncryptedFile? { get }
}

extension StorageFile {
  package var asEncrypted: EncryptedFile? { nil }
}

/// A file over another one, which has its name and its locks.
package protocol LayeredFile: StorageFile {
  /// The file below.
  var file: any StorageFile { get }
}

extension LayeredFile {
  package var path: String { file.path }
  package var identity: FileIdentity { file.identity }

  package func forgetCached() { file.forgetCached() }

  package func tryLock(exclusive: Bool) throws(StorageError) -> Bool {
    try file.tryLock(exclusive: exclusive)
  }

  package func unlock() { file.unlock() }

  package func lockByte(at offset: Int, waits: Bool) throws(StorageError) -> Bool {
    try file.lockByte(at: offset, waits: waits)
  }

  package func shareByte(at offset: Int) throws(StorageError) -> Bool {
    try file.shareByte(at: offset)
  }

  package func isByteLocked(at offset: Int) throws(StorageError) -> Bool {
    try file.isByteLocked(at: offset)
  }

  package func unlockByte(at offset: Int) { file.unlockByte(at: offset) }
}

extension StorageFile {
  /// Reads until the buffer is full or the file ends; the number of bytes read.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(StorageError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      do throws(StorageError) {
        let count = try unsafe readSome(into: rest, at: offset + done)
        if count == 0 { break }
        done += count
      } catch {
        guard error.isInterruption else { throw error }
      }
    }
    return done
  }

  /// Writes all of `bytes`.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
      do throws(StorageError) {
        let count = try unsafe writeSome(rest, at: offset + done)
        guard count > 0 else {
          throw StorageError.system(operation: "Writing", path: path, code: ENOSPC)
        }
        done += count
      } catch {
        guard error.isInterruption else { throw error }
      }
    }
  }

  /// Makes all that was written before durable.
  package func sync() throws(StorageError) {
    while true {
      do throws(StorageError) {
        return try syncOnce()
      } catch {
        guard error.isInterruption else { throw error }
      }
    }
  }

  /// Writes the bytes of an integer, least significant first.
  package func write(_ value: some FixedWidthInteger, at offset: Int) throws(StorageError) {
    var bytes = value.littleEndian
    let result = unsafe withUnsafeBytes(of: &bytes) { raw -> StorageError? in
      do throws(StorageError) {
        try unsafe write(raw, at: offset)
        return nil
      } catch {
        return error
      }
    }
    if let result { throw result }
  }
}

extension StorageError {
  var isInterruption: Bool {
    if case .system(_, _, EINTR) = self { true } else { false }
  }

  /// Whether the disk, the user's share of it, or what the process may write to a file has no room
  /// left.
  package var isDiskFull: Bool {
    guard case .system(_, _, let code) = self else { return false }
    return code == ENOSPC || code == EDQUOT || code == EFBIG
  }

  /// Whether the rights of a file, of its folder, or of the file system refuse the access.
  package var isAccessRefused: Bool {
    guard case .system(_, _, let code) = self else { return false }
    return code == EACCES || code == EPERM || code == EROFS
  }
}
