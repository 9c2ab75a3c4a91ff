// SPDX-License-Identifier: Apache-2.0

// Files of other formats than the present one: who may read them, and who may replace them.
//
// 1. A database of an older format is never shared. It is accessed alone: under the exclusive lock
//    to bring it to the present format, or without any lock for reading.
// 2. The commit that ends the upgrade stores the present format with the new version, in the slot
//    that it then selects: a crash leaves the old version in the old format, or the new one.

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension DatabaseFile {
  /// The format of the version that the header selects; 0 in a file that was never committed to.
  package var formatVersion: Int {
    let place = currentMapping
    return withExtendedLifetime(place) {
      let bytes = unsafe UnsafeRawBufferPointer(start: place.base, count: FileHeader.byteCount)
      return unsafe FileHeader(bytes).map { $0.formatVersion(slot: $0.selectedSlot) } ?? 0
    }
  }

  /// Lets `body` bring the file at `path` to the present format while no other caller has it open.
  ///
  /// - Parameters:
  ///   - registry: Another one than `.shared` acts as another process.
  ///   - body: Gets the database, whose tables are those of the older format, and commits to it. It
  ///     is not called if the file is in the present format by then.
  /// - Returns: False if the file is open elsewhere; nothing is done then.
  package static func upgrade(
    path: String, options: OpenOptions, system: any FileSystem, registry: FileRegistry,
    _ body: (DatabaseFile) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let path = try system.resolved(path)
    return try whileClosed(path: path, system: system, registry: registry) {
      () throws(StorageError) in
      let file = try system.open(path: path, mode: .readWrite)
      let database = try open(
        EncryptedFile.wrapping(file, options) ?? file, path, options, system,
        lockSystem: MemoryFiles(), acceptsOlderFormats: true)
      if FileHeader.upgradableVersions.contains(database.formatVersion) { try body(database) }
    }
  }

  /// Opens a file of the present or an older format for inspection, even if it is open elsewhere.
  ///
  /// Only what all these formats have in common can be read.
  ///
  /// - Parameter allowsDrafts: Whether transactions may begin, which never reach the file.
  package static func openForInspection(
    path: String, key: EncryptionKey?, allowsDrafts: Bool = false
  ) throws(StorageError) -> DatabaseFile {
    var options = OpenOptions(isReadOnly: true, mustExist: true, encryptionKey: key)
    options.allowsDrafts = allowsDrafts
    let path = try resolvedPath(path)
    let file = try SystemFiles().open(path: path, mode: .readOnly)
    return try open(
      EncryptedFile.wrapping(file, options) ?? file, path, options, SystemFiles(),
      lockSystem: MemoryFiles(), acceptsOlderFormats: true)
  }

  /// Puts the file at `source` in the place of the one at `path`, which gets the name `kept`.
  ///
  /// A crash leaves one or the other at `path`. The caller ensures that no process has it open.
  package static func replace(
    path: String, by source: String, keepingAs kept: String,
    system: any FileSystem = SystemFiles()
  ) throws(StorageError) {
    let path = try resolvedPath(path)
    // Neither a link to a file of others may become the database, nor such a file be replaced.
    close(try SideFile.open(source, flags: O_RDONLY, mode: 0, role: "copy"))
    if let descriptor = try SideFile.openIfPresent(kept, role: "copy") { close(descriptor) }
    unsafe unlink(kept)
    // Where there are no second names, `path` is missing for a short time.
    if unsafe link(path, kept) != 0, unsafe rename(path, kept) != 0 {
      throw .system(operation: "Renaming", path: path, code: errno)
    }
    guard unsafe rename(source, path) == 0 else {
      throw .system(operation: "Replacing", path: path, code: errno)
    }
    try system.syncDirectory(of: path)
  }
}
