// SPDX-License-Identifier: Apache-2.0

// The folder of a server's scheduled backups.
//
// Invariants:
// 1. A backup with a time as its name was checked after it was written. The rest of an interrupted
//    one has another name, and is removed by the next run.
// 2. A backup is removed only after a newer one was checked, and so many newer ones stay as the
//    operator has asked for.
// 3. The folder belongs to one server: the backups of another are neither counted nor removed.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

/// Makes, checks and removes backups whose names are the times of their beginning.
struct BackupFolder: Sendable {
  /// Notes whose backups these are.
  private static let ownerName = "server.path"
  /// The backup being written or checked.
  private static let uncheckedSuffix = ".unchecked"
  /// A backup found damaged after it was written: one at most.
  private static let damagedSuffix = ".damaged"
  /// Where operators name the folder.
  private static let setting = "\"folder\" in server.json"

  /// The folder of the server.
  let server: String
  let path: String

  /// - Parameter folder: The folder as the settings name it, from that of the server on.
  init(_ folder: String, of server: String) {
    self.server = Self.plain(server)
    path = Self.plain(folder, from: server)
  }

  private static func plain(_ path: String, from base: String? = nil) -> String {
    let url = base.map { URL(fileURLWithPath: path, relativeTo: URL(fileURLWithPath: $0 + "/")) }
    return (url ?? URL(fileURLWithPath: path)).standardizedFileURL.resolvingSymlinksInPath().path
  }

  // MARK: Names

  /// The name of a backup with this beginning.
  static func name(_ time: OriginTimestamp) -> String {
    OperationTime.text(time).replacing(":", with: "")
  }

  /// The time of a name, to the second; nil if it is none of a backup.
  static func time(_ name: some StringProtocol) -> OriginTimestamp? {
    let characters = Array(name.utf8)
    guard characters.count == 18, characters[10] == UInt8(ascii: "T") else { return nil }
    var text = String(name)
    text.insert(":", at: text.index(text.startIndex, offsetBy: 15))
    text.insert(":", at: text.index(text.startIndex, offsetBy: 13))
    guard let date = try? Date(text, strategy: .iso8601) else { return nil }
    let time = OriginTimestamp(unixMilliseconds: Int64(date.timeIntervalSince1970) * 1_000)
    return Self.name(time) == name ? time : nil
  }

  /// The names of the folder's files, or none if it is not there.
  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }

  /// The times of the checked backups, the oldest first.
  ///
  /// - Parameter now: Later times are not counted: the clock was wrong.
  func times(upTo now: OriginTimestamp) -> [OriginTimestamp] {
    names.compactMap { Self.time($0) }.filter { $0 <= now }.sorted()
  }

  // MARK: Making

  /// Makes and checks a backup, and removes the oldest ones above the number to keep.
  ///
  /// - Parameter isWanted: Is asked between files, and ends the backup by saying no.
  func make(
    keeping keptCount: Int, clock: ServerClock, isWanted: @escaping @Sendable () -> Bool = { true }
  ) throws(ServerFailure) -> Backup.Report {
    try requireOwner()
    removeUnchecked()
    let now = clock.now()
    let name = Self.name(now)
    let report = try Backup.make(
      of: server, to: "\(path)/\(name)\(Self.uncheckedSuffix)", naming: Self.setting,
      clock: clock, isWanted: isWanted)
    let check = try FolderCheck(report.path)
    guard !check.isDamaged else { throw damage(check, name) }
    guard isWanted() else { throw Backup.interruption }
    try give(name, to: report.path)
    prune(keeping: keptCount, upTo: now)
    return report
  }

  /// Gives a checked backup its name.
  private func give(_ name: String, to work: String) throws(ServerFailure) {
    do {
      try FileManager.default.moveItem(atPath: work, toPath: "\(path)/\(name)")
      try DatabaseFile.syncDirectory(of: "\(path)/\(name)")
    } catch {
      throw ServerFailure(
        "\(work) cannot get the name \(path)/\(name): "
          + "\(ServerFailure.text(error.localizedDescription)).")
    }
  }

  /// Puts a damaged backup aside. Earlier ones stay (`BackupFolder` 2).
  private func damage(_ check: FolderCheck, _ name: String) -> ServerFailure {
    let files = FileManager.default
    for name in names where Self.isUnusable(name, Self.damagedSuffix) {
      try? files.removeItem(atPath: "\(path)/\(name)")
    }
    let place = "\(path)/\(name)\(Self.damagedSuffix)"
    try? files.moveItem(atPath: check.path, toPath: place)
    let damaged = check.items.filter { !$0.findings.isEmpty }
    let first = damaged.first.map { item in
      "\(item.path.dropFirst(check.path.count + 1)): \(item.findings[0])"
    }
    return ServerFailure(
      "The backup has \(CountText.text(damaged.count, "damaged file")), the first is "
        + "\(first ?? "not known"). It is in \(place); realm-server check says whether the "
        + "server's folder is damaged, too. Earlier backups are kept.")
  }

  /// Whether a name is a time with a suffix.
  private static func isUnusable(_ name: String, _ suffix: String) -> Bool {
    name.hasSuffix(suffix) && time(name.dropLast(suffix.count)) != nil
  }

  private func removeUnchecked() {
    for name in names {
      let isUnfinished = Self.isUnusable(name, Self.uncheckedSuffix + ".unfinished")
      guard isUnfinished || Self.isUnusable(name, Self.uncheckedSuffix) else { continue }
      try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }
  }

  private func prune(keeping count: Int, upTo now: OriginTimestamp) {
    for time in times(upTo: now).dropLast(count) {
      try? FileManager.default.removeItem(atPath: "\(path)/\(Self.name(time))")
    }
  }

  /// `BackupFolder` 3
  private func requireOwner() throws(ServerFailure) {
    let file = "\(path)/\(Self.ownerName)"
    if let data = FileManager.default.contents(atPath: file) {
      let owner = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
      guard owner == server else {
        throw ServerFailure(
          "\(path) has the backups of the server in \(owner). Give this one another "
            + "\(Self.setting), or remove \(file) if that server is gone.")
      }
      return
    }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ServerFailure(
        "\(path) cannot be made: \(ServerFailure.text(error.localizedDescription)). Name another "
          + "place with \(Self.setting).")
    }
    do throws(StorageError) {
      try DurableFile.write(Array((server + "\n").utf8), to: file)
    } catch {
      throw ServerFailure(
        "\(file) cannot be written: \(ServerFailure.text(error)). Make room, or name another place "
          + "with \(Self.setting).")
    }
  }
}
#endif
