// SPDX-License-Identifier: Apache-2.0

// The state of a running server for its operator, as JSON.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSyncProtocol

/// The state of a running server.
struct ServerStatus: Sendable {
  /// The most listed sessions of an app, those most behind first.
  static let sessionCountMax = 1_000
  /// The most notices with the overview.
  private static let noticeCountMax = 50

  let apps: ServedApps
  let sockets: SocketService
  let metrics: ServerMetrics
  let notices: RecentNotices
  let budget: MemoryBudget
  let options: ServerOptions
  let certificates: ServerCertificates?
  let backups: ScheduledBackups
  /// The time of the start.
  let start: Date
  /// The note about the restore of the folder; null if there was none.
  let restored: JSONValue

  /// The state of the whole server.
  func overview() async -> JSONValue {
    var list: [JSONValue] = []
    for app in apps.all { list.append(.object(await members(of: app))) }
    let memory = ProcessMemory.current
    return [
      "server": [
        "version": .string(LibraryVersion.text), "started": .string(OperationTime.text(start)),
        "ready": .bool(sockets.isReady), "restored": restored,
        "diskFree": JSONValue(diskFree),
        "certificateEnd": JSONValue(certificates.map { OperationTime.text($0.end) }),
        "backups": backups.json, "edits": .bool(options.allowsEdits),
      ],
      "memory": [
        "used": JSONValue(budget.byteCount), "limit": JSONValue(options.limits.memory << 20),
        "processUsed": JSONValue(memory.used), "processFree": JSONValue(memory.free),
      ],
      "totals": metrics.totals.snapshot.json, "latencies": metrics.totals.latencies,
      "errors": JSONValue(notices.errorCount),
      "notices": .array(notices.all.prefix(Self.noticeCountMax).map(\.json)),
      "apps": .array(list),
    ]
  }

  /// The overview with all sessions, for commands.
  func whole() async -> JSONValue {
    guard case .object(var members) = await overview() else { return .null }
    var list: [JSONValue] = []
    for app in apps.all {
      list.append(
        .object(await self.members(of: app) + [JSONMember("sessions", sessions(of: app))]))
    }
    members.removeAll { $0.key == "apps" }
    return .object(members + [JSONMember("apps", .array(list))])
  }

  private func members(of app: ServedApp) async -> [JSONMember] {
    let sessions = app.rules.sessions
    let counts = try? await app.api.accounts.counts()
    let triggers = await app.triggers.statuses()
    return [
      JSONMember("id", .string(app.file.id)), JSONMember("name", .string(app.file.name)),
      JSONMember("mode", .string(app.file.mode == .flexible ? "flexible" : "partition")),
      JSONMember("stage", JSONValue(FolderStatistics.AppFacts.stage(app.file))),
      JSONMember("users", JSONValue(counts?.users)),
      JSONMember("logins", JSONValue(counts?.sessions)),
      JSONMember("connections", JSONValue(sockets.connectionCount(ofApp: app.file.id))),
      JSONMember("openSessions", JSONValue(sessions.count)),
      JSONMember("behind", JSONValue(sessions.count { $0.behindCount > 0 })),
      JSONMember("behindMax", .integer(Int64(clamping: sessions.map(\.behindCount).max() ?? 0))),
      JSONMember("triggers", JSONValue(triggers.count)),
      JSONMember("stoppedTriggers", JSONValue(triggers.count { $0.state == .suspended })),
      JSONMember("openRealms", JSONValue(await app.upkeep.openRealmCount)),
    ]
  }

  /// The sessions of an app, those most behind first.
  func sessions(of app: ServedApp) -> JSONValue {
    let sessions = app.rules.sessions.sorted { left, right in
      left.behindCount == right.behindCount
        ? (left.begin, left.user) < (right.begin, right.user) : left.behindCount > right.behindCount
    }
    return .array(
      sessions.prefix(Self.sessionCountMax).map { session in
        [
          "user": .string(session.user), "realm": .string(session.realm.rawValue),
          "partition": JSONValue(session.partition),
          "file": .integer(Int64(session.file.rawValue)),
          "connection": .integer(Int64(clamping: session.connection)),
          "begin": .string(OperationTime.text(session.begin)),
          "version": .integer(Int64(clamping: session.version)),
          "behind": .integer(Int64(clamping: session.behindCount)),
        ]
      })
  }

  /// The triggers of an app, by their names.
  func triggers(of app: ServedApp) async -> JSONValue {
    .array(await app.triggers.statuses().map(\.json))
  }

  /// The free bytes of the disk; nil if they are not known.
  private var diskFree: Int? {
    (try? FileManager.default.attributesOfFileSystem(forPath: options.directory))?[.systemFreeSize]
      as? Int
  }

  /// Sets the metrics of what is looked at now and then.
  func measure() async {
    let sessions = apps.all.flatMap { $0.rules.sessions }
    metrics.set(sessions.count, of: .sessionsOpen)
    metrics.set(sessions.count { $0.behindCount > 0 }, of: .sessionsBehind)
    metrics.set(sessions.map(\.behindCount).max() ?? 0, of: .versionsBehindMax)
    metrics.set(budget.byteCount, of: .clientMemory)
    metrics.set(options.limits.memory << 20, of: .clientMemoryMax)
    let memory = ProcessMemory.current
    metrics.set(memory.used, of: .memoryUsed)
    metrics.set(memory.free, of: .memoryFree)
    if let diskFree { metrics.set(diskFree, of: .diskFree) }
    if let certificates {
      metrics.set(Int(certificates.end.timeIntervalSince1970), of: .certificateEnd)
    }
    if let seconds = backups.lastSeconds {
      metrics.set(seconds, of: .backupTime)
      metrics.set(backups.failureCount, of: .backupFailures)
    }
    let files = FileFigures(FileRegistry.shared.openFiles)
    metrics.set(files.byteCount, of: .fileBytes)
    metrics.set(files.oldVersionCount, of: .pinnedVersions)
    metrics.set(files.behindCountMax, of: .pinnedVersionsBehindMax)
    metrics.set(files.heldNanosecondsMax / 1_000_000_000, of: .pinnedTimeMax)
    metrics.set(files.pinnedByteCount, of: .pinnedBytes)
    metrics.set(Int(start.timeIntervalSince1970), of: .startTime)
    metrics.set(notices.errorCount, of: .logErrors)
    var triggers: [(app: String, status: TriggerStatus)] = []
    for app in apps.all {
      triggers += await app.triggers.statuses().map { (app.file.id, $0) }
    }
    metrics.code.show(triggers)
  }
}
#endif
