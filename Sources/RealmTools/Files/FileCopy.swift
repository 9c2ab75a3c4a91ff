// SPDX-License-Identifier: Apache-2.0

// Copies of whole files, and files in the place of others.

#if Tools
import Foundation
package import RealmStorage
import RealmTables

/// Copies, compacts and upgrades files.
package enum FileCopy {
  /// Writes a copy without free space: encrypted with another key, with none, or with the same.
  package static func copy(
    _ path: String, key: EncryptionKey?, to target: String, newKey: EncryptionKey?
  ) throws {
    let reader = try RealmReader(path: path, key: key)
    try NewFile.requireFree(target)
    try reader.reading { group in
      try NewFile.make(at: target) { unfinished in
        try group.snapshot.write(
          to: try SystemFiles().open(path: unfinished, mode: .readWriteCreating), key: newKey)
        // A copy of two versions must not get its name.
        try reader.requireUnchanged()
      }
    }
  }

  /// Makes a file of 64 random bytes for its owner alone.
  package static func makeKey(at path: String) throws(ToolFailure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    guard descriptor >= 0 else {
      throw ToolFailure(.cannotCreate, "The key file '\(path)' cannot be made. Use another path.")
    }
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<EncryptionKey.byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
    defer { close(descriptor) }
    let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    guard count == bytes.count, fsync(descriptor) == 0 else {
      let reason = unsafe String(cString: strerror(errno))
      unsafe unlink(path)
      throw ToolFailure(.inputOutput, "Writing the key file '\(path)' failed: \(reason).")
    }
    // What is encrypted with it must not outlive its name.
    do throws(StorageError) { try DatabaseFile.syncDirectory(of: path) } catch {
      throw ToolFailure(error)
    }
  }

  /// Rewrites a file without free space.
  ///
  /// - Returns: The bytes before and after.
  package static func compact(
    _ path: String, key: EncryptionKey?
  ) throws(ToolFailure) -> (before: Int, after: Int) {
    do throws(StorageError) {
      let before = try DatabaseFile.openForInspection(path: path, key: key).fileByteCount()
      guard
        try DatabaseFile.compact(
          path: path, key: key,
          preparing: { (draft) throws(StorageError) in try EnumeratedCopy.prepare(draft) })
      else { throw busy(path) }
      return (before, try DatabaseFile.openForInspection(path: path, key: key).fileByteCount())
    } catch { throw ToolFailure(error) }
  }

  /// Brings a file of an older format to the present one.
  ///
  /// - Parameter backup: Where the file as it was is copied to; nil for no copy.
  /// - Returns: The old format; nil if there was nothing to do.
  package static func upgrade(
    _ path: String, key: EncryptionKey?, backup: (_ format: Int) -> String?
  ) throws -> Int? {
    let format: Int
    do throws(StorageError) {
      format = try DatabaseFile.openForInspection(path: path, key: key).formatVersion
    } catch { throw ToolFailure(error) }
    guard format != 0, format != FileHeader.supportedVersion else { return nil }
    // Refused before a copy is made of it.
    if try isSynchronised(path, key) {
      throw ToolFailure(
        .badData,
        "'\(path)' belongs to a synchronised app, which upgrades it when the app opens it. "
          + "Commands that read take it as it is, and 'realm copy \(path) OUT' writes a local "
          + "copy in the present format.")
    }
    if let copy = backup(format) {
      try NewFile.make(at: copy) { unfinished in
        var problem: (any Error)?
        let wasAlone = try DatabaseFile.whileClosed(path: path) {
          do {
            try FileManager.default.copyItem(atPath: path, toPath: unfinished)
            let file: any StorageFile = try SystemFiles().open(path: unfinished, mode: .readWrite)
            try file.sync()
          } catch { problem = error }
        }
        guard wasAlone else { throw ToolFailure(busy(path)) }
        if let problem {
          throw ToolFailure(
            .inputOutput, "Copying '\(path)' to '\(copy)' failed: \(problem). Nothing was changed.")
        }
      }
    }
    do throws(StorageError) {
      _ = try DatabaseFile.openUpgraded(
        path: path, options: OpenOptions(mustExist: true, encryptionKey: key))
      // What the upgrade left as it was gets checksums. If another process has the file now, or it
      // has a second name, it is upgraded all the same.
      _ = try DatabaseFile.compact(path: path, key: key, keepsHistory: true)
    } catch { throw ToolFailure(error) }
    return format
  }

  private static func isSynchronised(
    _ path: String, _ key: EncryptionKey?
  ) throws(ToolFailure) -> Bool {
    do throws(StorageError) {
      let type = try DatabaseFile.openForInspection(path: path, key: key).snapshot().top()
        .historyType
      return type == 3 || type == 4
    } catch { throw ToolFailure(error) }
  }

  /// The path of the copy before an upgrade, named as apps name theirs.
  package static func backupPath(of path: String, format: Int) -> String {
    let url = URL(fileURLWithPath: path)
    let name = url.deletingPathExtension().lastPathComponent
    return url.deletingLastPathComponent()
      .appendingPathComponent("\(name).v\(format).backup.realm").path
  }

  private static func busy(_ path: String) -> StorageError {
    .incompatibleLockFile(
      path: path, reason: "another process has the file open. End it, or try again later.")
  }
}
#endif
