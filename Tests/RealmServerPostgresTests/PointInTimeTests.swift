// SPDX-License-Identifier: Apache-2.0

// A database that goes back to an earlier time, and the devices that know more.

#if Postgres
import Foundation
import RealmServerKit
import RealmStorage
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerPostgres

@Suite(.heavy)
struct PointInTimeTests {
  private let directory: TemporaryDirectory
  /// The devices that have reset their realm.
  private let resets = Locked<Set<String>>([])
  private let errors = Locked<[String]>([])

  init() throws { directory = try TemporaryDirectory() }

  // MARK: The database

  /// A folder that PostgreSQL may write to.
  private func makeArchive() throws -> String {
    let path = directory.file("archive")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
    return path
  }

  /// Names the present state. Returns when the log up to it is in the archive.
  private func setRestorePoint(_ name: String, of cluster: PostgresCluster) async throws {
    let rows = try cluster.run("SELECT pg_walfile_name(pg_create_restore_point('\(name)'))")
    guard case .text(let file)? = rows.first?.first else {
      Issue.record("no file has the point")
      return
    }
    try cluster.run("SELECT pg_switch_wal()::text")
    let path = directory.file("archive/" + file)
    for _ in 0..<1_200 where !FileManager.default.fileExists(atPath: path) {
      try await Task.sleep(for: .milliseconds(50))
    }
    expectTrue(FileManager.default.fileExists(atPath: path))
  }

  private func version(in database: String, of cluster: PostgresCluster) throws -> DatabaseValue? {
    try cluster.run(
      "SELECT version FROM openrealm.realm WHERE id = 'todos/flexible'", in: database
    ).first?.first
  }

  /// Restores a backup up to a point. Returns when the database can be written to.
  private func restored(
    _ backup: String, to point: String, from archive: String
  ) async throws -> PostgresCluster {
    let cluster = try PostgresCluster(
      settings: [
        "fsync=off", "restore_command=cp \(archive)/%f %p", "recovery_target_name=\(point)",
        "recovery_target_action=promote",
      ], restoring: backup)
    // Connections are for a database that can be written to.
    for _ in 0..<1_200 where (try? cluster.run("SELECT 1")) == nil {
      try await Task.sleep(for: .milliseconds(50))
    }
    return cluster
  }

  // MARK: Servers and devices

  private func server(port: Int = 0, store: String) throws -> RealmServer {
    try TodoServer.make(directory.file("data"), store: store) { $0.port = port }
  }

  @MainActor private func open(_ device: String, at url: String) async throws -> Realm {
    let place = AppConfiguration(baseURL: url, defaultRequestTimeoutMS: 600_000)
    place.directory = directory.file(device)
    let app = App(id: "todos", configuration: place)
    app.syncManager.errorHandler = { [errors] error, _ in
      errors.withLock { $0.append("\(device): \(error)") }
    }
    let user = try await app.login(credentials: .anonymous)
    var configuration = user.flexibleSyncConfiguration(
      clientResetMode: .recoverUnsyncedChanges(
        beforeReset: { [resets] _ in resets.withLock { _ = $0.insert(device) } }),
      initialSubscriptions: { $0.append(QuerySubscription<StoreTodo>()) })
    configuration.objectTypes = [StoreTodo.self]
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  @MainActor private func add(_ text: String, to realm: Realm) async throws {
    try await realm.asyncWrite {
      let todo = StoreTodo()
      todo.text = text
      realm.add(todo)
    }
  }

  /// Waits until devices have the same objects.
  @MainActor private func meet(_ realms: [Realm], _ texts: Set<String>) async throws {
    var found: [Set<String>] = []
    for _ in 0..<2_400 {
      found = []
      for realm in realms {
        await realm.asyncRefresh()
        found.append(Set(realm.objects(StoreTodo.self).map(\.text)))
      }
      if found.allSatisfy({ $0 == texts }) { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("\(found) in place of \(texts)")
  }

  @Test(.withPostgres) @MainActor
  func devicesKeepWhatARestoredDatabaseNeverHad() async throws {
    let archive = try makeArchive()
    let first = try PostgresCluster(
      settings: [
        "fsync=off", "archive_mode=on",
        "archive_command=cp %p \(archive)/%f.part && mv \(archive)/%f.part \(archive)/%f",
      ])
    let database = try first.makeDatabase()
    var port = 0
    var realms: [Realm] = []
    var known: DatabaseValue?
    var backup = ""
    try await server(store: first.address(database)).run { url in
      port = try #require(URLComponents(string: url)?.port)
      for device in ["behind", "ahead", "writer"] {
        realms.append(try await open(device, at: url))
      }
      try await add("in the backup", to: realms[2])
      try await meet(realms, ["in the backup"])
      backup = try first.backUp()
      try await add("before the point", to: realms[2])
      try await meet(realms, ["in the backup", "before the point"])
      realms[0].syncSession?.suspend()
      try await setRestorePoint("point", of: first)
      known = try version(in: database, of: first)
      try await add("after the point", to: realms[2])
      try await meet(Array(realms[1...]), ["in the backup", "before the point", "after the point"])
      #expect(try version(in: database, of: first) != known)
    }
    // The database is lost, and devices write meanwhile. The folder keeps its replicas.
    try await add("not synchronised by one behind", to: realms[0])
    try await add("not synchronised by one ahead", to: realms[1])
    let second = try await restored(backup, to: "point", from: archive)
    try expectEqual(version(in: database, of: second), known)
    try await server(port: port, store: second.address(database)).run { url in
      realms[0].syncSession?.resume()
      for realm in realms { realm.syncSession?.reconnect() }
      // What was acknowledged after the point went with the database, and nothing else.
      let all: Set = [
        "in the backup", "before the point", "not synchronised by one behind",
        "not synchronised by one ahead",
      ]
      try await meet(realms, all)
      try await meet([try await open("new", at: url)], all)
      // They go on with what they have.
      try await add("later", to: realms[0])
      try await meet(realms, all.union(["later"]))
    }
    expectEqual(resets.withLock { $0 }, ["ahead", "writer"])
    expectEqual(errors.withLock { $0 }, [])
  }
}
#endif
