// SPDX-License-Identifier: Apache-2.0

// The folder of an app in the making by an import.
//
// Invariants:
// 1. From its making to the end of the import the folder has a mark, and no server serves it.
// 2. `app.json` comes last, when everything else is on the disk; then the mark goes.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerKit
import RealmServerServices
import RealmStorage

/// An app in the making.
struct ImportedApp: Sendable {
  let directory: ServerDirectory
  let plan: AppImportPlan
  /// The mark of an earlier import to go on with; nil for none.
  let mark: [UInt8]?
  /// The key of tokens.
  let key: [UInt8]
  private let lock: DirectoryLock

  private var id: String { plan.app.id }

  /// Makes the folder, or finds the rest of an earlier import.
  ///
  /// - Parameter startsOver: Whether the rest of an earlier import is removed.
  init(_ plan: AppImportPlan, in folder: String, startsOver: Bool) throws(ServerFailure) {
    self.plan = plan
    let directory = try ServerDirectory(folder)
    try directory.requireOwnRealms(for: "import")
    self.directory = directory
    let app = directory.appPath(plan.app.id)
    let markPath = directory.importMarkPath(plan.app.id)
    let isUnfinished = directory.exists(markPath)
    // Of an import interrupted at once the lock alone is left.
    let isEmpty = ((try? FileManager.default.contentsOfDirectory(atPath: app)) ?? [])
      .allSatisfy { $0 == "lock" }
    guard isUnfinished || isEmpty else {
      throw ServerFailure(
        "\(folder) has an app \(plan.app.id) already, and an import changes none. Name another "
          + "folder with --out, or move \(app) away.")
    }
    key = try directory.signingKey(
      random: RandomBytes(), mayMake: !directory.isUsed())
    do {
      try FileManager.default.createDirectory(
        atPath: app, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerFailure("The folder \(app) cannot be made: \(ServerFailure.text(error)).")
    }
    lock = try DirectoryLock(app)
    if isUnfinished, !startsOver {
      mark = FileManager.default.contents(atPath: markPath).map { Array($0) }
      return
    }
    mark = nil
    try directory.write([], to: markPath)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: app)) ?? []
    where !["lock", "import.unfinished"].contains(name) {
      try? FileManager.default.removeItem(atPath: "\(app)/\(name)")
    }
  }

  /// Where the import writes.
  func target(_ accounts: AccountStore, clock: ServerClock = .machine) -> ImportTarget {
    let (directory, id) = (directory, id)
    return ImportTarget(
      store: EmbeddedStore(DirectoryFiles(directory: directory.path)), accounts: accounts,
      clock: clock,
      mark: { (bytes) throws(ImportError) in
        do throws(ServerFailure) {
          try directory.write(bytes, to: directory.importMarkPath(id))
        } catch {
          throw ImportError(error.description)
        }
      },
      reject: { (bytes, offset) throws(ImportError) in
        try Self.write(bytes, at: offset, to: directory.rejectedPath(id))
      })
  }

  /// Opens the file of the users, made if it is not there.
  func accounts(clock: ServerClock = .machine) throws(ServerFailure) -> AccountStore {
    let path = directory.accountsPath(id)
    do throws(StoreError) {
      return try AccountStore.open(
        path, app: id, isNew: !directory.exists(path), now: clock.now())
    } catch {
      throw ServerFailure(
        "\(path) cannot be opened: \(ServerFailure.text(error)). Begin again with --start-over.")
    }
  }

  private static func write(
    _ bytes: [UInt8], at offset: Int, to path: String
  ) throws(ImportError) {
    if bytes.isEmpty, offset == 0 { return }
    do {
      let manager = FileManager.default
      if !manager.fileExists(atPath: path) {
        _ = manager.createFile(
          atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
      }
      guard let file = FileHandle(forUpdatingAtPath: path) else {
        throw ImportError("\(path) cannot be written. Change the folder's permissions.")
      }
      defer { try? file.close() }
      try file.truncate(atOffset: UInt64(offset))
      try file.seekToEnd()
      try file.write(contentsOf: bytes)
      try file.synchronize()
    } catch let error as ImportError {
      throw error
    } catch {
      throw ImportError("\(path) cannot be written: \(ServerFailure.text(error)). Make room.")
    }
  }

  /// Writes the files of the app, and lets servers serve it.
  func finish() throws(ServerFailure) {
    try directory.write(Array(plan.schema.text.utf8), to: directory.schemaPath(id))
    try directory.write(
      JSONWriter.bytes(plan.app.json) + [UInt8(ascii: "\n")], to: directory.appFilePath(id))
    let mark = directory.importMarkPath(id)
    do {
      try FileManager.default.removeItem(atPath: mark)
      try SystemFiles(isPrivate: true).syncDirectory(of: mark)
    } catch {
      throw ServerFailure("\(mark) cannot be removed: \(ServerFailure.text(error)).")
    }
    lock.release()
    try? FileManager.default.removeItem(atPath: directory.appPath(id) + "/lock")
  }
}
#endif
