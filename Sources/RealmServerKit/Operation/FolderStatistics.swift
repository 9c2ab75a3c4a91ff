// SPDX-License-Identifier: Apache-2.0

// What a folder has, for its operator: apps, realms, sizes, histories, devices, and who is behind.

#if Server
import Foundation
package import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

/// The statistics of a folder.
package struct FolderStatistics: Sendable {
  /// An app.
  struct AppFacts: Sendable {
    let file: AppFile
    let users: Int
    let sessions: Int
    let byteCount: Int
    let realmCount: Int
    let realms: [RealmFacts]
  }

  /// A session of a running server, as its status has it.
  private struct Place: Hashable {
    let realm: String
    let file: UInt64
  }

  let apps: [AppFacts]
  private var connected: [Place: UInt64] = [:]
  private let isRunning: Bool
  private let restored: JSONValue

  /// Reads a folder.
  ///
  /// - Parameters:
  ///   - id: The app; nil for all.
  ///   - withRealms: Whether each realm is looked at.
  ///   - status: The answer of the running server (`ServerStatus`); nil if none runs.
  package init(
    _ path: String, app id: String? = nil, withRealms: Bool = true, status: JSONValue? = nil
  ) throws(ServerFailure) {
    let directory = try ServerDirectory(existing: path)
    if withRealms { try directory.requireOwnRealms(for: "stats") }
    var apps: [AppFacts] = []
    for file in id == nil ? try directory.allApps() : [try directory.app(named: id)] {
      apps.append(try Self.facts(of: file, directory, withRealms: withRealms))
    }
    self.apps = apps
    isRunning = status != nil
    restored = Self.restored(path)
    for app in status?["apps"]?.array ?? [] {
      for session in app["sessions"]?.array ?? [] {
        guard let realm = session["realm"]?.string, let file = session["file"]?.unsigned else {
          continue
        }
        connected[Place(realm: realm, file: file)] = session["version"]?.unsigned ?? 0
      }
    }
  }

  /// The note about the restore of a folder; null if there was none.
  static func restored(_ path: String) -> JSONValue {
    FileManager.default.contents(atPath: "\(path)/\(RestoreStage.note)")
      .flatMap { try? JSONParser.parse(Array($0)) } ?? .null
  }

  private static func facts(
    of file: AppFile, _ directory: ServerDirectory, withRealms: Bool
  ) throws(ServerFailure) -> AppFacts {
    let files = try DatabaseFiles(of: file.id, in: directory)
    let inspected = InspectedFiles(directory: directory.path)
    var (users, sessions) = (0, 0)
    var realms: [RealmFacts] = []
    do throws(StoreError) {
      if directory.exists(files.accounts) {
        let counts = try AccountCheck.counts(path: files.accounts)
        (users, sessions) = (counts.users, counts.sessions)
      }
      if withRealms {
        for (id, _) in files.realms { realms.append(try inspected.facts(of: id)) }
      }
    } catch {
      throw ServerFailure(
        "A file of the app \(file.id) cannot be read: \(ServerFailure.text(error)). "
          + "realm-server check says which one.")
    }
    let byteCount = files.all.reduce(0) { sum, file in
      let attributes = try? FileManager.default.attributesOfItem(atPath: file)
      return sum + (attributes?[.size] as? Int ?? 0)
    }
    return AppFacts(
      file: file, users: users, sessions: sessions, byteCount: byteCount,
      realmCount: files.realms.count, realms: realms)
  }

  // MARK: Devices

  /// The newest version that a device is known to have.
  private func version(of client: RealmFacts.Client, in realm: RealmFacts) -> UInt64 {
    max(client.version, live(client, realm) ?? 0)
  }

  private func live(_ client: RealmFacts.Client, _ realm: RealmFacts) -> UInt64? {
    connected[Place(realm: realm.head.realm.rawValue, file: client.ident.rawValue)]
  }

  private func behindCount(_ client: RealmFacts.Client, _ realm: RealmFacts) -> UInt64 {
    realm.head.version - min(realm.head.version, version(of: client, in: realm))
  }

  private func state(_ client: RealmFacts.Client, _ realm: RealmFacts) -> String {
    if client.isExpired { return "has to reset" }
    return live(client, realm) == nil ? "away" : "connected"
  }

  // MARK: Reports

  /// The report for operators.
  ///
  /// - Parameter withDevices: Whether each device has a line.
  package func text(withDevices: Bool = false) -> String {
    var lines: [String] = []
    if let time = restored["backup"]?.string {
      lines.append("restored from the backup of \(time)")
    }
    if !isRunning { lines.append("no server runs: who is connected is not known") }
    for app in apps {
      lines.append(
        "\(app.file.id) (\(AppFacts.mode(app.file))): \(CountText.text(app.users, "user")), "
          + "\(CountText.text(app.sessions, "login")), "
          + "\(CountText.text(app.realmCount, "realm")), \(ByteText.text(app.byteCount))"
      )
      for realm in app.realms {
        let devices = realm.clients.filter { !$0.isExpired }
        let behind = devices.count { behindCount($0, realm) > 0 }
        let most = devices.map { behindCount($0, realm) }.max() ?? 0
        lines.append(
          "  \(Self.name(realm)): \(ByteText.text(realm.byteCount)) "
            + "(\(ByteText.text(realm.usedByteCount)) used), version \(realm.head.version), "
            + "history of \(CountText.text(realm.historyCount, "version")) "
            + "(\(ByteText.text(realm.historyByteCount))), "
            + "\(CountText.text(devices.count, "device")), "
            + "\(behind) behind"
            + (most > 0 ? " by \(CountText.text(most, "version")) at most" : ""))
        guard withDevices else { continue }
        for client in realm.clients {
          lines.append(
            "    file \(client.ident.rawValue) of user \(PlainText.name(client.user)): "
              + "\(state(client, realm)), "
              + "\(CountText.text(behindCount(client, realm), "version")) behind"
              + (client.isExpired
                ? "" : ", seen on \(OperationTime.text(client.lastSeen).prefix(10))"))
        }
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The apps for operators, a line each.
  package var appsText: String {
    guard !apps.isEmpty else { return "The folder has no apps." }
    return apps.map { app in
      "\(app.file.id) (\(AppFacts.mode(app.file))): \(CountText.text(app.users, "user")), "
        + "\(CountText.text(app.sessions, "login")), "
        + "\(CountText.text(app.realmCount, "realm")), \(ByteText.text(app.byteCount))"
    }.joined(separator: "\n")
  }

  /// The apps for programs, without their realms.
  package var appsJSON: JSONValue { .array(apps.map { .object($0.members) }) }

  static func name(_ realm: RealmFacts) -> String {
    realm.name.partition.map { "partition \(PlainText.name($0))" } ?? "all objects"
  }

  /// The report for programs.
  package var json: JSONValue {
    [
      "running": .bool(isRunning), "restored": restored,
      "apps": .array(
        apps.map { app in
          .object(app.members + [JSONMember("realms", .array(app.realms.map { json($0) }))])
        }),
    ]
  }

  private func json(_ realm: RealmFacts) -> JSONValue {
    var members = realm.members
    members.append(
      JSONMember(
        "clients",
        .array(
          realm.clients.map { client in
            [
              "file": .integer(Int64(client.ident.rawValue)), "user": .string(client.user),
              "lastSeen": client.isExpired ? .null : .string(OperationTime.text(client.lastSeen)),
              "state": .string(state(client, realm)),
              "version": .integer(Int64(clamping: version(of: client, in: realm))),
              "behind": .integer(Int64(clamping: behindCount(client, realm))),
            ]
          })))
    return .object(members)
  }
}

extension FolderStatistics.AppFacts {
  /// The members for programs, but for those of realms.
  var members: [JSONMember] {
    [
      JSONMember("id", .string(file.id)), JSONMember("name", .string(file.name)),
      JSONMember("mode", .string(file.mode == .flexible ? "flexible" : "partition")),
      JSONMember("stage", JSONValue(Self.stage(file))), JSONMember("users", JSONValue(users)),
      JSONMember("sessions", JSONValue(sessions)),
      JSONMember("realmCount", JSONValue(realmCount)), JSONMember("bytes", JSONValue(byteCount)),
    ]
  }

  static func stage(_ file: AppFile) -> String? {
    switch file.stage {
    case .production: "production"
    case .development: "development"
    case nil: nil
    }
  }

  static func mode(_ file: AppFile) -> String {
    let mode = file.mode == .flexible ? "flexible sync" : "partitions"
    return "\(mode), \(stage(file) ?? "no mode")"
  }
}

extension RealmFacts {
  /// The members for programs, but for those of devices.
  var members: [JSONMember] {
    [
      JSONMember("realm", .string(head.realm.rawValue)),
      JSONMember("partition", JSONValue(name.partition)),
      JSONMember("bytes", JSONValue(byteCount)), JSONMember("used", JSONValue(usedByteCount)),
      JSONMember("version", .integer(Int64(clamping: head.version))),
      JSONMember("history", .integer(Int64(clamping: historyCount))),
      JSONMember("historyBytes", JSONValue(historyByteCount)),
      JSONMember(
        "classes",
        .array(classes.map { ["name": .string($0.name), "objects": JSONValue($0.count)] })),
    ]
  }
}
#endif
