// SPDX-License-Identifier: Apache-2.0

// A server whose realms are in PostgreSQL, with a device.

#if Postgres
import Foundation
import RealmServerPostgres
import RealmSwift
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerKit

@Suite(.heavy)
struct StoreServerTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func server(
    _ folder: String, store: String?, app: AppDefinition = TodoServer.app
  ) throws -> RealmServer {
    try TodoServer.make(directory.file(folder), store: store, app: app)
  }

  /// Gives another server the keys of the first one.
  private func copyKeys(from folder: String, to other: String) throws {
    let files = FileManager.default
    try files.createDirectory(
      atPath: directory.file(other + "/apps"), withIntermediateDirectories: true)
    try files.copyItem(
      atPath: directory.file(folder + "/keys"), toPath: directory.file(other + "/keys"))
  }

  private func device(_ url: String, _ folder: String) -> App {
    let place = AppConfiguration(baseURL: url, defaultRequestTimeoutMS: 600_000)
    place.directory = directory.file(folder)
    return App(id: "todos", configuration: place)
  }

  @MainActor private func eventually(
    _ isDone: @MainActor () async throws -> Bool
  ) async throws {
    for _ in 0..<1_200 {
      if try await isDone() { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("it does not come to be")
  }

  private func failure(_ folder: String, store: String?) -> String? {
    do {
      _ = try server(folder, store: store)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test(.withPostgres) @MainActor func anotherServerGoesOnWithTheRealms() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    try await server("first", store: address).run { url in
      let place = AppConfiguration(baseURL: url, defaultRequestTimeoutMS: 600_000)
      place.directory = directory.file("device")
      let user = try await App(id: "todos", configuration: place).login(credentials: .anonymous)
      var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
        subscriptions.append(QuerySubscription<StoreTodo>())
      })
      configuration.objectTypes = [StoreTodo.self]
      let realm = try await Realm(
        configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
      try await realm.asyncWrite {
        let todo = StoreTodo()
        todo.text = "by a device"
        realm.add(todo)
      }
      try await realm.syncSession?.wait(for: .upload)
    }
    // The node that comes in its place has the folder, and none of the replicas.
    let files = FileManager.default
    try files.copyItem(atPath: directory.file("first"), toPath: directory.file("second"))
    try files.removeItem(atPath: directory.file("second/replicas"))
    let second = try server("second", store: address)
    try await second.run { _ in
      let todos = try second.app("todos").collection(StoreTodo.self)
      try await expectEqual(todos.count(filter: ["text": "by a device"]), 1)
      _ = try await todos.insertOne(["text": "by the server"])
      try await expectEqual(todos.count(filter: [:]), 2)
    }
    let rows = try cluster.run(
      "SELECT id FROM openrealm.realm ORDER BY id",
      in: String(address.split(separator: "=").last ?? ""))
    expectEqual(rows, [[.text("todos/flexible")], [.text("todos=2fusers/flexible")]])
  }

  /// Devices keep their files, so the mode of an app stays, as it does for realms in the folder.
  @Test(.withPostgres) @MainActor func aChangedModeIsRefusedAtTheStart() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    let first = try server("first", store: address)
    try await first.run { _ in
      _ = try await first.app("todos").collection(StoreTodo.self).insertOne(["text": "one"])
    }
    let path = directory.file("first/apps/todos/app.json")
    let file = try String(contentsOfFile: path, encoding: .utf8)
    try #require(file.contains("flexible"))
    try Data(file.replacingOccurrences(of: "flexible", with: "partition").utf8)
      .write(to: URL(fileURLWithPath: path))
    var configuration = RealmServerConfiguration(folder: directory.file("first"), port: 0)
    configuration.store = address
    do {
      _ = try RealmServer(configuration, apps: [])
      Issue.record("the server starts")
    } catch {
      expectTrue("\(error)".contains("has \"sync\": \"partition\""), "\(error)")
      expectTrue("\(error)".contains("Write \"sync\": \"flexible\""), "\(error)")
    }
    try Data(file.utf8).write(to: URL(fileURLWithPath: path))
    _ = try RealmServer(configuration, apps: [])
  }

  /// A user registers at one server, logs in at the other, and loses the access there when the
  /// first one disables it. Triggers run at one of them.
  /// `SocketService` 5
  @Test(.withPostgres) @MainActor func usersAndTriggersAreThoseOfAllServers() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    var settings = AppSettings()
    settings.logIns = [.emailPassword()]
    let counts = Mutex(["first": 0, "second": 0])
    func definition(_ name: String) -> AppDefinition {
      var app = AppDefinition("todos", settings: settings, classes: [StoreTodo.self])
      app.trigger("logins", onUsers: .login) { _, _ in counts.withLock { $0[name]? += 1 } }
      return app
    }
    let first = try server("first", store: address, app: definition("first"))
    try copyKeys(from: "first", to: "second")
    let second = try server("second", store: address, app: definition("second"))
    let running = Task { try await first.run() }
    let app = device(try await first.address, "device 1")
    try await app.emailPasswordAuth.registerUser(email: "ann@x.org", password: "secret1")
    try await second.run { url in
      let other = device(url, "device 2")
      let user = try await other.login(
        credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
      try await eventually { counts.withLock { $0 == ["first": 1, "second": 0] } }
      var configuration = user.flexibleSyncConfiguration()
      configuration.objectTypes = [StoreTodo.self]
      let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
      let session = try #require(realm.syncSession)
      try await eventually { session.connectionState == .connected }
      let accounts = try #require(first.program.apps.first).api.accounts
      try await accounts.setDisabled(true, user.id)
      try await eventually { session.connectionState != .connected }
      try await accounts.setDisabled(false, user.id)
      // The triggers go on where the first server has come.
      running.cancel()
      try await running.value
      _ = try await other.login(
        credentials: .emailPassword(email: "ann@x.org", password: "secret1"))
      try await eventually { counts.withLock { $0 == ["first": 1, "second": 1] } }
    }
  }

  /// `SharedStore` 3
  @Test(.withPostgres) func usersInTheFolderAreNotLeftOut() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    try await server("own", store: nil).run { url in
      _ = try await device(url, "device").login(credentials: .anonymous)
    }
    let text = failure("own", store: address)
    expectEqual(text?.contains("has 1 user in"), true)
    expectEqual(text?.contains("realm-server move"), true)
    try await server("shared", store: address).run { url in
      _ = try await device(url, "device 2").login(credentials: .anonymous)
    }
    // Those of the database win.
    let both = try server("own", store: address)
    try await expectEqual(both.program.apps.first?.api.accounts.counts().users, 1)
    #expect(
      both.program.recent.all.contains { "\($0)".contains("is not used: the users of todos") })
  }

  /// `SharedStore` 1
  @Test(.withPostgres) func aFolderStaysWithItsStore() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    expectEqual(failure("shared", store: address), nil)
    expectEqual(failure("shared", store: nil)?.contains("give its address with --store"), true)
    for _ in 1...2 {
      let server = try server("own", store: nil)
      try await server.run { _ in
        _ = try await server.app("todos").collection(StoreTodo.self).insertOne(["text": "a"])
      }
    }
    expectEqual(failure("own", store: address)?.contains("has realms in"), true)
  }

  @Test func anAddressIsCheckedBeforeItIsUsed() {
    expectEqual(failure("a", store: "host/name")?.contains("--store needs the address"), true)
    let text = failure("a", store: "postgresql:///x?host=/no/such/folder&connect_timeout=1")
    expectEqual(text?.contains("The database of --store cannot be used"), true)
  }

  @Test(.withPostgres) func commandsThatNeedFilesSayThatTheRealmsAreElsewhere() throws {
    let cluster = try PostgresCluster.shared.get()
    let folder = directory.file("shared")
    _ = try server("shared", store: cluster.address(try cluster.makeDatabase()))
    do {
      _ = try FolderStatistics(folder)
      Issue.record("realms of a database are counted in files")
    } catch { #expect("\(error)".contains("are in a database")) }
    do {
      _ = try Backup.make(of: folder, to: directory.file("copy"))
      Issue.record("a backup lacks the realms")
    } catch { #expect("\(error)".contains("are in a database")) }
    expectFalse(FileManager.default.fileExists(atPath: directory.file("copy")))
    // The list of apps needs no realms.
    _ = try FolderStatistics(folder, withRealms: false)
  }
}
#endif
