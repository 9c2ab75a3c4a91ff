// SPDX-License-Identifier: Apache-2.0

// Compaction, changes of keys, and removal of files that no process has open.
//
// 1. A caller that holds the exclusive lock of the lock file, and has noted the file as closed in
//    the process's registry, is alone with the database. No other can open it meanwhile.
// 2. The compacted copy, or the one with another key, is durable before it takes the file's place,
//    by one rename: a crash leaves the file as it was, or the copy. A caller that opened the old
//    file and waited finds out when it joins a session (`DatabaseFile.open`).

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
  /// - Parameter prepare: Changes a draft of the file, which is what is written; what it does is
  ///   lost if it throws before it has set the roots of the draft.
  /// - Returns: False if the file is open elsewhere, or has another name (a hard link), where the
  ///   old file would stay; nothing is done then.
  package static func compact(
    path: String, key: EncryptionKey? = nil, keepsHistory: Bool = false,
    preparing prepare: ((WriteTransaction) throws(StorageError) -> Void)? = nil
  ) throws(StorageError) -> Bool {
    if hasOtherName(path) { return false }
    return try rewrite(path, key, as: key, .whole(ofLocal: keepsHistory), preparing: prepare)
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

  /// Writes the file at `path` again with another key, in its place, with its version and its
  /// history. What is written is read back before it takes the place.
  ///
  /// - Parameter newKey: The key of the new file; nil for a plain one.
  /// - Returns: False if the file is open elsewhere, or has another name (a hard link), where the
  ///   file with the old key would stay; nothing is done then.
  package static func changeKey(
    path: String, from key: EncryptionKey?, to newKey: EncryptionKey?,
    system: any FileSystem = SystemFiles(), registry: FileRegistry = .shared
  ) throws(StorageError) -> Bool {
    if hasOtherName(try system.resolved(path)) { return false }
    return try rewrite(
      path, key, as: newKey, .whole(ofLocal: true), isRead: true, system, registry)
  }

  /// Whether a file has a second name, by a hard link.
  package static func hasOtherName(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_nlink > 1
  }

  /// Puts a copy of the file at `path` without free space in its place.
  ///
  /// - Parameters:
  ///   - newKey: The key of the copy.
  ///   - isRead: Whether the copy is read and checked before it takes the place.
  ///   - prepare: Changes a draft of the file, which is what is written.
  private static func rewrite(
    _ path: String, _ key: EncryptionKey?, as newKey: EncryptionKey?, _ history: HistoryCopy,
    isRead: Bool = false,
    preparing prepare: ((WriteTransaction) throws(StorageError) -> Void)? = nil,
    _ system: any FileSystem = SystemFiles(),
    _ registry: FileRegistry = .shared
  ) throws(StorageError) -> Bool {
    let path = try system.resolved(path)
    return try whileClosed(
      path: path, system: system, registry: registry
    ) { () throws(StorageError) in
      // A database of its own, for reading: its session is in memory.
      var options = OpenOptions(isReadOnly: true, mustExist: true, encryptionKey: key)
      options.allowsDrafts = prepare != nil
      let file = try open(path: path, options: options, system: system, registry: FileRegistry())
      let copyPath = compactedPath(of: path)
      let copy = try system.makeCopy(copyPath, rights: FileRights(of: path))
      do throws(StorageError) {
        // Where a draft cannot be made or changed, the file is written as it is.
        if let prepare, let draft = try? file.beginWrite() {
          defer { draft.rollback() }
          try? prepare(draft)
          try draft.write(to: copy, key: newKey, history: history)
        } else {
          try file.snapshot().write(to: copy, key: newKey, history: history)
        }
        if isRead { try requireWhole(copy, newKey, system) }
        try system.replace(path, by: copyPath)
      } catch {
        system.discard(copyPath)
        throw error
      }
      // Else a crash could bring the old file back after others committed to the new one.
      try system.syncDirectory(of: path)
    }
  }

  /// Reads a copy from the disk, and compares all its pages and checksums.
  private static func requireWhole(
    _ copy: any StorageFile, _ key: EncryptionKey?, _ system: any FileSystem
  ) throws(StorageError) {
    copy.forgetCached()
    let file = try open(
      path: copy.path, options: OpenOptions(isReadOnly: true, mustExist: true, encryptionKey: key),
      system: system, registry: FileRegistry())
    let (findings, _) = try file.checkNodes(try file.snapshot())
    guard let error = findings.first(where: { $0.severity == .error }) else { return }
    throw .corrupted("what was written of it is not whole: \(error.message)")
  }

  private static func compactedPath(of path: String) -> String { path + ".compaction" }

  /// Removes the copy that an interrupted compaction left. The caller is alone with the database.
  static func removeUnfinishedCompaction(of path: String, _ system: any FileSystem) {
    system.removeUnfinishedCopy(compactedPath(of: path))
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
    let system = system.sideFiles(of: path)
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
