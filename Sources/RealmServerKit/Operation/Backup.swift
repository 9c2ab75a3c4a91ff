// SPDX-License-Identifier: Apache-2.0

// A copy of a server's folder, also while the server writes.
//
// Invariants:
// 1. The copy has all that was acknowledged before it began, and no part of a transaction: each
//    file of a database is copied at one of its versions.
// 2. What refers to something is copied before it: positions of triggers before the realms, the
//    record of the realms before these, the realms before their users and their schema, the users
//    before the keys of their tokens. So nothing in the copy refers to what came later.
// 3. The copy has its name when it is complete and on the disk. An interrupted one is
//    `<name>.unfinished`.
// 4. An app whose import has not ended is not in it: there is nothing of the app to go on with.

#if Server
import Foundation
package import RealmFormats
package import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

/// Makes backups.
package struct Backup: Sendable {
  /// A backup that was made, for operators.
  package struct Report: Sendable {
    package let path: String
    package let fileCount: Int
    package let realmCount: Int
    package let byteCount: Int
    package let begin: String
    /// The apps that are being imported, which the backup lacks.
    package let importing: [String]

    /// The report for programs.
    package var json: JSONValue {
      [
        "path": .string(path), "files": JSONValue(fileCount), "realms": JSONValue(realmCount),
        "bytes": JSONValue(byteCount), "begin": .string(begin),
        "importing": .array(importing.map { .string($0) }),
      ]
    }
  }

  /// Marks a folder as an unfinished backup, which may be removed.
  private static let mark = "backup.unfinished"
  private static let depthMax = 8
  /// Files of an app that are copied as databases, or belong to the present run of a server.
  private static let otherSuffixes = [".realm", ".lock", ".new", ".unfinished", ".compaction"]

  private let directory: ServerDirectory
  private let source: String
  private let target: String
  /// Where the operator names the target.
  private let option: String
  private let clock: ServerClock
  private let isWanted: @Sendable () -> Bool
  private var work: String { target + ".unfinished" }
  private var files: [FolderFile] = []
  private var realmCount = 0

  private init(
    _ source: String, _ target: String, _ option: String, _ clock: ServerClock,
    _ isWanted: @escaping @Sendable () -> Bool
  ) throws(ServerFailure) {
    directory = try ServerDirectory(existing: source)
    try directory.requireOwnRealms(for: "backup")
    self.source = source
    self.target = target
    self.option = option
    self.clock = clock
    self.isWanted = isWanted
  }

  /// The failure of a backup that is not wanted any more.
  static let interruption = ServerFailure("The backup was interrupted. The next one begins anew.")

  /// Copies the folder of a server, which may run, to a new place.
  ///
  /// - Parameters:
  ///   - option: Where the operator names the place.
  ///   - isWanted: Is asked between files; what is not wanted any more ends.
  package static func make(
    of source: String, to target: String, naming option: String = "--to",
    clock: ServerClock = .machine, isWanted: @escaping @Sendable () -> Bool = { true }
  ) throws(ServerFailure) -> Report {
    func plain(_ path: String) -> String {
      URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }
    let (from, to) = (plain(source), plain(target))
    guard to != from, !to.hasPrefix(from + "/") else {
      throw ServerFailure(
        "\(target) is in the folder of the server. Name another place with \(option).")
    }
    guard !FileManager.default.fileExists(atPath: to) else {
      throw ServerFailure("\(target) is there already. Name a new place with \(option).")
    }
    var backup = try Backup(from, to, option, clock, isWanted)
    return try backup.make(shownAs: target)
  }

  /// - Parameter name: The place as the operator has named it.
  private mutating func make(shownAs name: String) throws(ServerFailure) -> Report {
    let begin = OperationTime.text(clock.now())
    let apps = try directory.appFolders()
    let importing = apps.filter(directory.isBeingImported)
    guard importing.count < apps.count || apps.isEmpty else {
      throw ServerFailure(
        "The import of the app \(importing[0]) has not ended, and there is no other app. Make the "
          + "backup after it.")
    }
    try prepare()
    for app in apps where !importing.contains(app) { try copy(app: app) }
    try copyFolder("keys", depth: 1) { !$0.hasSuffix(".new") }
    let manifest = BackupManifest(
      program: LibraryVersion.text, begin: begin, end: OperationTime.text(clock.now()),
      files: files)
    try write(manifest.json, to: "\(work)/\(BackupManifest.name)")
    do {
      try FileManager.default.moveItem(atPath: work, toPath: target)
      // After that, so that a folder without the mark is never taken for an unfinished one.
      try FileManager.default.removeItem(atPath: "\(target)/\(Self.mark)")
      try DatabaseFile.syncDirectory(of: target)
    } catch {
      throw ServerFailure(
        "\(work) cannot get the name \(target): "
          + "\(ServerFailure.text(error.localizedDescription)). Name another place with \(option).")
    }
    return Report(
      path: name, fileCount: files.count, realmCount: realmCount,
      byteCount: files.reduce(0) { $0 + $1.byteCount }, begin: begin, importing: importing)
  }

  /// Makes an empty place, where an interrupted backup may have left something.
  private func prepare() throws(ServerFailure) {
    let files = FileManager.default
    if files.fileExists(atPath: work) {
      guard let names = try? files.contentsOfDirectory(atPath: work), Self.isUnfinished(names)
      else { throw ServerFailure("\(work) is no unfinished backup. Move it away.") }
      // The mark is there until nothing else is, as this may be interrupted, too.
      try write(.object([]), to: "\(work)/\(Self.mark)")
      for name in names where !name.hasPrefix(Self.mark) {
        try? files.removeItem(atPath: "\(work)/\(name)")
      }
      try? files.removeItem(atPath: work)
    }
    try makeFolder(work)
    try write(.object([]), to: "\(work)/\(Self.mark)")
  }

  /// Whether a folder with these files is what an interrupted backup leaves: with its mark, or
  /// before it has one.
  private static func isUnfinished(_ names: [String]) -> Bool {
    names.contains(mark) || names.allSatisfy { $0.hasPrefix(mark) }
  }

  private func makeFolder(_ path: String) throws(ServerFailure) {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try DatabaseFile.syncDirectory(of: path)
    } catch {
      throw ServerFailure(
        "\(path) cannot be made: \(ServerFailure.text(error.localizedDescription)). Name another "
          + "place with \(option).")
    }
  }

  private func write(_ json: JSONValue, to path: String) throws(ServerFailure) {
    do throws(StorageError) {
      try DurableFile.write(JSONWriter.bytes(json), to: path)
    } catch {
      throw ServerFailure("\(path) cannot be written: \(ServerFailure.text(error)). Make room.")
    }
  }

  // MARK: Apps

  private mutating func copy(app: String) throws(ServerFailure) {
    let folder = "apps/\(app)"
    try makeFolder("\(work)/\(folder)/realms")
    for name in ["triggers.realm", "directory.realm"] where exists("\(folder)/\(name)") {
      try copyDatabase("\(folder)/\(name)")
    }
    let inspected = InspectedFiles(directory: source)
    let realms: [RealmID]
    do throws(StoreError) {
      realms = try inspected.realms(ofApp: app)
    } catch {
      throw ServerFailure("\(source)/\(folder)/realms cannot be read: \(error)")
    }
    for realm in realms {
      try copyDatabase(String(inspected.path(of: realm).dropFirst(source.count + 1)))
      realmCount += 1
    }
    if exists("\(folder)/accounts.realm") { try copyDatabase("\(folder)/accounts.realm") }
    try copyFolder(folder, depth: 1) { name in
      name != "outbox" && name != "realms"
        && !Self.otherSuffixes.contains { name.hasSuffix($0) }
    }
  }

  private func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(source)/\(path)")
  }

  private mutating func copyDatabase(_ path: String) throws(ServerFailure) {
    do throws(StoreError) {
      _ = try InspectedFiles.copy("\(source)/\(path)", to: "\(work)/\(path)")
    } catch {
      throw ServerFailure(
        "\(source)/\(path) cannot be copied: \(ServerFailure.text(error)). "
          + "realm-server check says what is wrong with it.")
    }
    try note(path)
  }

  /// Copies the plain files of a folder, and of the folders in it.
  private mutating func copyFolder(
    _ path: String, depth: Int, _ isWanted: (String) -> Bool
  ) throws(ServerFailure) {
    guard depth <= Self.depthMax else {
      throw ServerFailure("\(source)/\(path) has too many folders in each other.")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: "\(source)/\(path)").sorted()
    } catch {
      throw ServerFailure(
        "\(source)/\(path) cannot be read: \(ServerFailure.text(error.localizedDescription)).")
    }
    try makeFolder("\(work)/\(path)")
    for name in names where isWanted(name) {
      let file = "\(path)/\(name)"
      if (try? FileManager.default.contentsOfDirectory(atPath: "\(source)/\(file)")) != nil {
        try copyFolder(file, depth: depth + 1) { name in
          !Self.otherSuffixes.contains { name.hasSuffix($0) }
        }
      } else {
        try FolderFile.copy("\(source)/\(file)", to: "\(work)/\(file)")
        try note(file)
      }
    }
  }

  private mutating func note(_ path: String) throws(ServerFailure) {
    guard isWanted() else { throw Self.interruption }
    files.append(try FolderFile(path, in: work))
  }
}
#endif
