// SPDX-License-Identifier: Apache-2.0

// Compaction and removal of files that no process has open.
//
// 1. A caller that holds the exclusive lock of the lock file, and has noted the file as closed in
//    the process's registry, is alone with the database. No other can open it meanwhile.
// 2. The compacted copy is durable before it takes the file's place, by one rename: a crash leaves
//    the file as it was, or the copy. A caller that opened the old file and waited finds out when
//    it joins a session (`DatabaseFile.open`).

import CRealmPlatform

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension DatabaseFile {
  /// The bytes of the file, and how many of them the newest version uses.
  package func byteCounts() throws(StorageError) -> (total: Int, used: Int) {
    (try fileByteCount(), try snapshot().usedByteCount())
  }

  /// Rewrites the file at `path` without free space; encrypted with its key, if it has one.
  ///
  /// - Parameter keepsHistory: Whether a local file keeps its version and its history; a
  ///   synchronised one always does.
  /// - Returns: False if the file is open elsewhere, or has another name (a hard link), where the
  ///   old file would stay; nothing is done then.
  package static func compact(
    path: String, key: EncryptionKey? = nil, keepsHistory: Bool = false
  ) throws(StorageError) -> Bool {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_nlink > 1 { return false }
    return try rewrite(path, key, as: key, .whole(ofLocal: keepsHistory))
  }

  /// Encrypts the plain file at `path`. A file that is missing, empty, or no plain database is left
  /// alone.
  ///
  /// - Returns: False if the file is open elsewhere; nothing is done then.
  package static func encryptIfPlain(
    path: String, key: EncryptionKey
  ) throws(StorageError) -> Bool {
    guard unsafe access(path, F_OK) == 0 else { return true }
    let file = try SystemFiles().open(path: path, mode: .readOnly)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: FileHeader.byteCount, alignment: 8)
    defer { unsafe buffer.deallocate() }
    let count = try unsafe file.read(into: buffer, at: 0)
    let isPlain = unsafe count == buffer.count && FileHeader(UnsafeRawBufferPointer(buffer)) != nil
    if !isPlain { return true }
    return try rewrite(path, nil, as: key, .whole(ofLocal: false))
  }

  /// Puts a copy of the file at `path` without free space in its place.
  ///
  /// - Parameter newKey: The key of the copy.
  private static func rewrite(
    _ path: String, _ key: EncryptionKey?, as newKey: EncryptionKey?, _ history: HistoryCopy
  ) throws(StorageError) -> Bool {
    let path = try resolvedPath(path)
    return try whileClosed(path: path) { () throws(StorageError) in
      // A database of its own, for reading: its session is in memory.
      let file = try open(
        path: path, options: OpenOptions(isReadOnly: true, mustExist: true, encryptionKey: key),
        system: SystemFiles(), registry: FileRegistry())
      let copyPath = compactedPath(of: path)
      let copy = try SideFile.makeCopy(copyPath, rights: FileRights(of: path))
      do throws(StorageError) {
        try file.snapshot().write(to: copy, key: newKey, history: history)
        guard unsafe rename(copyPath, path) == 0 else {
          throw .system(operation: "Replacing", path: path, code: errno)
        }
      } catch {
        unsafe unlink(copyPath)
        throw error
      }
      // Else a crash could bring the old file back after others committed to the new one.
      try syncDirectory(of: path)
    }
  }

  private static func compactedPath(of path: String) -> String { path + ".compaction" }

  /// Removes the copy that an interrupted compaction left. The caller is alone with the database.
  static func removeUnfinishedCompaction(of path: String, _ system: any FileSystem) {
    // Anything else stays; a compaction says so.
    if system is SystemFiles { try? SideFile.removeUnfinishedCopy(compactedPath(of: path)) }
  }

  /// Makes what was done to names in the directory of `path` durable.
  package static func syncDirectory(of path: String) throws(StorageError) {
    try SystemDirectory.sync(of: path)
  }

  /// Runs `body` while no process has the file at `path` open.
  ///
  /// - Returns: False if a process has it open; `body` is not called then.
  package static func whileClosed(
    path: String, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    try whileClosed(path: path, system: SystemFiles(), registry: .shared, body)
  }

  static func whileClosed(
    path: String, system: any FileSystem, registry: FileRegistry,
    _ body: () throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let path = try system.resolved(path)
    let file = try openAlone(path, system)
    let system = sideFiles(of: path, system)
    return try registry.whileClosed(file.identity) { () throws(StorageError) in
      try LockFileSession.alone(path: path + ".lock", of: file, system: system, body)
    }
  }

  /// Opens a file to be alone with it: for writing, if that is allowed.
  private static func openAlone(
    _ path: String, _ system: any FileSystem
  ) throws(StorageError) -> any StorageFile {
    do throws(StorageError) {
      return try system.open(path: path, mode: .readWrite)
    } catch {
      guard error.isAccessRefused else { throw error }
      return try system.open(path: path, mode: .readOnly)
    }
  }

  /// The file system for the files beside the one at `path`: they give no other user more rights.
  static func sideFiles(of path: String, _ system: any FileSystem) -> any FileSystem {
    system is SystemFiles ? SystemFiles(asFileAt: path) : system
  }

  /// Checks that `storage` is still the file at its path.
  ///
  /// - Throws: `StorageError.system` with ESTALE if another file has taken its place.
  static func requireInPlace(
    _ storage: any StorageFile, _ options: OpenOptions, _ system: any FileSystem
  ) throws(StorageError) {
    if options.isReadOnly && !options.joinsSession || options.isInMemory { return }
    guard try system.open(path: storage.path, mode: .readOnly).identity == storage.identity else {
      throw .system(operation: "Opening", path: storage.path, code: ESTALE)
    }
  }
}
