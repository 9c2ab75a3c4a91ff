// SPDX-License-Identifier: Apache-2.0

// Backup copies of a file from before it was upgraded to a newer format.
//
// 1. A copy is renamed to its final name when it is complete and durable, and before the file is
//    changed. Until then it has another name, of which there is one: what a process that died has
//    left is replaced, or removed when the file is opened.
// 2. A program never fails for want of a copy: without one the file is upgraded all the same.
// 3. The file that a copy replaces is kept beside it, under the name of a copy in its own format.

import Foundation
import RealmStorage

/// The copies `x.v<format>.backup.realm` beside a file `x.realm`.
struct FormatBackups {
  private let path: String
  private let files = FileManager.default
  private let freeByteCount: (_ directory: String) -> Int64?

  /// Three months; older copies are removed.
  static let maximumAge: TimeInterval = 92 * 24 * 60 * 60

  /// - Parameter freeByteCount: The free space on the disk of a directory; nil if unknown.
  init(
    of path: String, freeByteCount: @escaping (_ directory: String) -> Int64? = Self.freeByteCount
  ) {
    // The copies lie beside the file, and not beside a symbolic link to it.
    self.path = (try? DatabaseFile.resolvedPath(path)) ?? path
    self.freeByteCount = freeByteCount
  }

  private static func freeByteCount(_ directory: String) -> Int64? {
    let system = try? FileManager.default.attributesOfFileSystem(forPath: directory)
    return (system?[.systemFreeSize] as? NSNumber)?.int64Value
  }

  func path(format: Int) -> String { Self.path(stem, format) }

  private static func path(_ stem: String, _ format: Int) -> String {
    "\(stem).v\(format).backup.realm"
  }

  /// The name of a copy that is being made. Only who is alone with the file makes one.
  private static func unfinished(_ copy: String) -> String { copy + ".unfinished" }

  /// The path of the file without its extension.
  private var stem: String {
    // Nearly all names are such, and need none of Foundation's rules.
    let name = path.utf8.reversed().prefix { $0 != UInt8(ascii: "/") }
    if path.utf8.first == UInt8(ascii: "/"), !name.isEmpty {
      if !name.contains(UInt8(ascii: ".")) { return path }
      let ending = ".realm"
      if path.hasSuffix(ending), name.count > ending.utf8.count {
        return String(path.dropLast(ending.count))
      }
    }
    return URL(fileURLWithPath: path).deletingPathExtension().path
  }

  /// The formats of copies that could be opened here, newest first.
  private static var formats: [Int] {
    [FileHeader.supportedVersion] + FileHeader.upgradableVersions.sorted(by: >)
  }

  // MARK: Making

  /// Copies the file, which is in `format`, unless there is such a copy or too little space for it.
  ///
  /// No other thread or process has the file open.
  func make(format: Int) {
    let target = path(format: format)
    let unfinished = Self.unfinished(target)
    removeUnfinished(unfinished)
    guard !files.fileExists(atPath: target) else { return }
    guard hasSpace else {
      return Logger.log(.warn, "There is too little space for a copy of '\(path)'")
    }
    do {
      try files.copyItem(atPath: path, toPath: unfinished)
      FileRights(of: path)?.apply(to: unfinished)
      // The age of a copy counts from the time at which it was made.
      try files.setAttributes([.modificationDate: Date()], ofItemAtPath: unfinished)
      try SystemFiles().open(path: unfinished, mode: .readWrite).sync()
      try files.moveItem(atPath: unfinished, toPath: target)
      try DatabaseFile.syncDirectory(of: target)
    } catch {
      removeUnfinished(unfinished)
      Logger.log(.warn, "Copying '\(path)' to '\(target)' failed: \(error)")
    }
  }

  /// Whether there is room for a copy, and for as much again that the upgrade may need.
  private var hasSpace: Bool {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard let free = freeByteCount(directory),
      let size = (try? files.attributesOfItem(atPath: path))?[.size] as? NSNumber
    else { return true }
    return free / 2 >= size.int64Value
  }

  // MARK: Removing

  /// Removes the copies that are older than three months, and those that were never finished. To be
  /// called while the file is open, so none is being made.
  func removeOld() {
    let stem = stem
    for format in Self.formats {
      let copy = Self.path(stem, format)
      removeUnfinished(Self.unfinished(copy))
      // Nearly always there is none, and the error of a missing file costs more than the question.
      guard files.fileExists(atPath: copy),
        let date = (try? files.attributesOfItem(atPath: copy))?[.modificationDate] as? Date,
        -date.timeIntervalSinceNow > Self.maximumAge
      else { continue }
      try? files.removeItem(atPath: copy)
      Logger.log(.info, "Removed the old copy '\(copy)'")
    }
  }

  /// Removes a plain file. Somebody's folder under its name is not removed with all it contains.
  private func removeUnfinished(_ path: String) {
    guard files.fileExists(atPath: path),
      let type = (try? files.attributesOfItem(atPath: path))?[.type] as? FileAttributeType,
      type == .typeRegular
    else { return }
    try? files.removeItem(atPath: path)
  }

  // MARK: Restoring

  /// Replaces the file, which a newer version of the library has upgraded to the format `version`,
  /// by the newest copy that can be opened.
  ///
  /// - Returns: Whether it is worthwhile to open the file again.
  func restore(replacing version: Int, _ key: EncryptionKey?) throws(StorageError) -> Bool {
    guard version > FileHeader.supportedVersion,
      let copy = Self.formats.map({ path(format: $0) }).first(where: files.fileExists)
    else { return false }
    assert(copy != path(format: version), "`FormatBackups` 3: the copy is in an older format")
    var isRestored = false
    let wasAlone = try DatabaseFile.whileClosed(path: path) { () throws(StorageError) in
      // Another process may have restored the file already; then this copy is not its older state.
      guard try isUnsupported(version, key) else { return }
      // A file of others under the name of a copy must not become the realm.
      _ = try DatabaseFile.openForInspection(path: copy, key: key)
      try DatabaseFile.replace(path: path, by: copy, keepingAs: path(format: version))
      isRestored = true
    }
    if isRestored {
      Logger.log(
        .warn, "Restored '\(path)' from '\(copy)', as it was in the newer format \(version)")
    }
    return wasAlone
  }

  private func isUnsupported(_ version: Int, _ key: EncryptionKey?) throws(StorageError) -> Bool {
    do throws(StorageError) {
      _ = try DatabaseFile.openForInspection(path: path, key: key)
      return false
    } catch {
      guard case .unsupportedFormat(_, version) = error else { throw error }
      return true
    }
  }
}
