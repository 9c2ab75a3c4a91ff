// SPDX-License-Identifier: Apache-2.0

// Saves the readable part of a damaged file.
//
// 1. The damaged file is not changed.
// 2. Each object found gets into the copy (`SalvageCopy` 1).
// 3. Where the roots are gone, as in a cut file, each root of an earlier version and each
//    table found among the bytes is tried, and the one with most objects is saved.
// 4. Where tables, or objects of a table, are missing, the file is searched for clusters of
//    objects, put together to tables (`FoundTables`).

import Foundation
package import RealmStorage
import RealmTables

/// A refusal to salvage a file, for another reason than its damage.
package struct SalvageFailure: Error, Hashable, Sendable {
  /// The problem and its remedy, in sentences.
  package let message: String
}

/// Copies the objects of a damaged file to a new one.
package struct Salvage {
  private var path: String
  private let key: EncryptionKey?
  private let target: String
  private let noted: Scratch
  private let progress: Progress
  /// The best copy so far, and its contents.
  private var best: (report: SalvageReport, path: String)?
  /// The files made on the way.
  private var scratch: [String] = []

  /// Called with the finished and the whole work, in any unit; an error ends the salvage.
  package typealias Progress = (_ done: Int, _ total: Int) throws -> Void

  /// The keeper of the list of files made on the way.
  package struct Scratch {
    package var willMake: (_ path: String) -> Void
    package var didRemove: (_ path: String) -> Void

    package init(
      willMake: @escaping (_ path: String) -> Void = { _ in },
      didRemove: @escaping (_ path: String) -> Void = { _ in }
    ) {
      self.willMake = willMake
      self.didRemove = didRemove
    }
  }

  /// Saves the readable part of the file at `path` in a new file at `target`, where no file is.
  ///
  /// - Throws: `StorageError` if the file is no realm, or nothing of it can be read, and
  ///   `SalvageFailure`.
  package static func write(
    _ path: String, key: EncryptionKey?, to target: String, scratch noted: Scratch = Scratch(),
    progress: @escaping Progress = { _, _ in }
  ) throws -> SalvageReport {
    var salvage = Salvage(path: path, key: key, target: target, noted: noted, progress: progress)
    defer { salvage.removeScratch() }
    try salvage.upgrade()
    try salvage.findBest()
    guard let best = salvage.best else {
      throw StorageError.corrupted("no class of '\(path)' can be read")
    }
    guard unsafe rename(best.path, target) == 0 else {
      throw StorageError.system(operation: "Making", path: target, code: errno)
    }
    return best.report
  }

  /// Takes an upgraded copy in the place of a file in an older format.
  private mutating func upgrade() throws {
    let file = try? DatabaseFile.openForInspection(path: path, key: key)
    guard let format = file?.formatVersion, FileHeader.upgradableVersions.contains(format) else {
      return
    }
    let copy = newScratch()
    do throws(StorageError) {
      let target = try SystemFiles().open(path: copy, mode: .readWriteCreating)
      _ = try DatabaseFile.writeUpgraded(path: path, key: key, to: target)
    } catch {
      guard case .corrupted(let reason) = error else { throw error }
      throw SalvageFailure(
        message:
          "'\(path)' is in the older format \(format), and cannot be upgraded as it is damaged: "
          + "\(reason). Restore it from a backup.")
    }
    path = copy
  }

  private mutating func findBest() throws {
    do {
      return try save(path)
    } catch let error as StorageError {
      // The key is another one, or the file is not there.
      switch error {
      case .corrupted, .notADatabase: break
      default: throw error
      }
      guard key == nil else { throw error }
      if let older = try makeOlder() {
        do {
          try save(older, isOlder: true)
        } catch is StorageError {}
        // The version before the newest may be one of long ago, without objects.
        if best?.report.savedCount ?? 0 > 0 { return }
      }
      try scan()
      if best == nil { throw error }
    }
  }

  // MARK: Attempts

  /// Saves a version that can be opened, with the found parts of missing tables.
  private mutating func save(_ path: String, isOlder: Bool = false) throws {
    let report = try attempt(path, key, isOlder: isOlder)
    guard key == nil, !report.isWhole else { return }
    let file = try DatabaseFile.openForReading(path: path, key: nil).file
    let roots = try file.snapshot().roots
    let scan = try NodeScan(path: path)
    guard let tables = scan.node(at: roots.tables.slot) else { return }
    try complete(
      scan,
      NodeScan.Roots(
        names: roots.tableNames.offset,
        tables: (0..<tables.header.count).map { scan.element($0, of: tables) }, version: 0),
      report, isOlder: isOlder)
  }

  /// The most roots tried, of those found: the newest have most of the objects.
  private static let triedRootsMax = 8

  /// Saves the objects of roots found among the bytes, and the tables without roots.
  private mutating func scan() throws {
    let scan = try NodeScan(path: path)
    // A file of another format is left to `realm upgrade`.
    if let format = scan.format, format != FileHeader.supportedVersion { return }
    var chosen: (roots: NodeScan.Roots, report: SalvageReport)?
    for roots in scan.roots().prefix(Self.triedRootsMax) + [scan.looseTables()].compactMap({ $0 }) {
      let copy = try write(RebuiltFile(scan, roots: roots))
      guard let report = try? attempt(copy, nil, isFound: true),
        report.savedCount > chosen?.report.savedCount ?? 0
      else { continue }
      chosen = (roots, report)
    }
    let names = scan.longestNames()?.offset
    try complete(
      scan, chosen?.roots ?? NodeScan.Roots(names: names, tables: [], version: 0), chosen?.report,
      isFound: true)
  }

  /// Saves the objects of roots, and the tables and objects missing there.
  private mutating func complete(
    _ scan: NodeScan, _ roots: NodeScan.Roots, _ report: SalvageReport?, isOlder: Bool = false,
    isFound: Bool = false
  ) throws {
    let found = FoundTables(scan, roots: roots, report: report, isFound: isFound).tables
    guard !found.isEmpty else { return }
    let rebuilt = RebuiltFile(scan, roots: roots, tables: found)
    let copy = try write(rebuilt)
    do {
      _ = try attempt(copy, nil, rebuilt.tables, isOlder: isOlder, isFound: isFound)
    } catch is StorageError {}
  }

  /// Copies the readable part of a file, and keeps the copy if it has most objects.
  private mutating func attempt(
    _ path: String, _ key: EncryptionKey?, _ found: [FoundTable] = [], isOlder: Bool = false,
    isFound: Bool = false
  ) throws -> SalvageReport {
    let file = try DatabaseFile.openForReading(path: path, key: key).file
    let source = try DamagedTables(try file.snapshot(), found: found)
    guard !source.classes.isEmpty || source.problems.isEmpty else {
      throw StorageError.corrupted("no class of '\(path)' can be read")
    }
    var copy = SalvageCopy(source, progress)
    let part = newScratch()
    let new = try DatabaseFile.open(path: part, options: OpenOptions(encryptionKey: key))
    let group = try WriteGroup(try new.beginWrite())
    try group.orRollback {
      try copy.fill(group)
      _ = try group.commit()
    }
    var report = copy.report
    report.isOlderVersion = isOlder
    report.isFound = isFound
    if report.savedCount > best?.report.savedCount ?? -1 { best = (report, part) }
    return report
  }

  // MARK: Files

  /// The path of a new, temporary file beside the target.
  private mutating func newScratch() -> String {
    let path = "\(target).part\(scratch.count)"
    Self.remove(path)
    noted.willMake(path)
    scratch.append(path)
    return path
  }

  private static func remove(_ path: String) {
    unsafe unlink(path)
    unsafe unlink(path + ".lock")
  }

  private mutating func write(_ file: RebuiltFile) throws -> String {
    let path = newScratch()
    try Data(file.bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func removeScratch() {
    for path in scratch {
      Self.remove(path)
      noted.didRemove(path)
    }
  }

  /// Copies the file so that its header selects the version before the newest.
  private mutating func makeOlder() throws -> String? {
    let copy = newScratch()
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
    defer { try? handle.close() }
    guard var header = try handle.read(upToCount: FileHeader.byteCount),
      header.count == FileHeader.byteCount
    else { return nil }
    // The lowest bit of the last byte selects one of two roots.
    header[FileHeader.byteCount - 1] ^= 1
    try handle.seek(toOffset: 0)
    try handle.write(contentsOf: header)
    return copy
  }
}
