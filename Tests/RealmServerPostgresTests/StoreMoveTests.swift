// SPDX-License-Identifier: Apache-2.0

// A server moves from its folder to a database, and its devices notice nothing.

#if Postgres
import Foundation
import Logging
import RealmStorage
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit
@testable import RealmServerPostgres

@Suite(.timeLimit(.minutes(10))) struct StoreMoveTests {
  private let directory: TemporaryDirectory
  private let logger: Logging.Logger

  init() throws {
    directory = try TemporaryDirectory()
    var logger = Logging.Logger(label: "test")
    logger.logLevel = .critical
    self.logger = logger
  }

  private func server(
    _ name: String = "data", port: Int = 0, store: String?, replacesMissing: Bool = false
  ) throws -> RealmServer {
    var settings = AppSettings()
    settings.logIns = [.emailPassword()]
    let app = AppDefinition("todos", settings: settings, classes: [StoreTodo.self])
    return try TodoServer.make(directory.file(name), store: store, app: app) {
      ($0.port, $0.replacesMissing) = (port, replacesMissing)
    }
  }

  /// Moves a folder, on a thread that may wait for the database.
  private func move(
    _ name: String = "data", to address: String
  ) async -> Result<StoreMove.Report, any Error> {
    let (folder, logger) = (directory.file(name), logger)
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          returning: Result { try StoreMove.run(folder, to: address, logger: logger) })
      }
    }
  }

  private func failure(_ address: String, _ name: String = "data") async -> String? {
    if case .failure(let error) = await move(name, to: address) { "\(error)" } else { nil }
  }

  /// Makes a folder with a user.
  private func makeUser() async throws {
    try await server(store: nil).run { url in
      let place = AppConfiguration(baseURL: url, defaultRequestTimeoutMS: 600_000)
      place.directory = directory.file("device")
      let app = App(id: "todos", configuration: place)
      try await app.emailPasswordAuth.registerUser(email: "a@b.c", password: "secret")
      _ = try await app.login(credentials: .emailPassword(email: "a@b.c", password: "secret"))
    }
  }

  /// Moves a folder with a user, of which what comes last cannot be read. Returns the path of that.
  private func breakMove(to address: String) async throws -> String {
    try await makeUser()
    let triggers = directory.file("data/apps/todos/triggers.realm")
    try Data("none".utf8).write(to: URL(filePath: triggers))
    await expectEqual(failure(address)?.contains("the same command goes on"), true)
    return triggers
  }

  /// The sentence with which a server does not start; nil if it starts.
  private func refusal(_ name: String, store: String) -> String? {
    do {
      _ = try server(name, store: store)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @MainActor private func add(_ text: String, to realm: Realm) async throws {
    try await realm.asyncWrite {
      let todo = StoreTodo()
      todo.text = text
      realm.add(todo)
    }
  }

  /// `StoreMove` 1
  @Test(.withPostgres) @MainActor func devicesGoOnWhereTheyWere() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    let errors = Locked<[String]>([])
    var opened: Realm?
    var port = 0
    try await server(store: nil).run { url in
      port = try #require(URLComponents(string: url)?.port)
      let place = AppConfiguration(baseURL: url, defaultRequestTimeoutMS: 600_000)
      place.directory = directory.file("device")
      let app = App(id: "todos", configuration: place)
      app.syncManager.errorHandler = { error, _ in errors.withLock { $0.append("\(error)") } }
      try await app.emailPasswordAuth.registerUser(email: "a@b.c", password: "secret")
      let user = try await app.login(
        credentials: .emailPassword(email: "a@b.c", password: "secret"))
      var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
        subscriptions.append(QuerySubscription<StoreTodo>())
      })
      configuration.objectTypes = [StoreTodo.self]
      let realm = try await Realm(
        configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
      opened = realm
      try await add("before", to: realm)
      try await realm.syncSession?.wait(for: .upload)
      // The folder is in use.
      await expectEqual(failure(address)?.contains("uses the folder"), true)
    }
    let realm = try #require(opened)
    try await add("meanwhile", to: realm)
    // A move that breaks leaves all as it was, and is made again.
    #expect(await failure("postgresql:///x?host=/no/such/folder&connect_timeout=1") != nil)
    let report = try await move(to: address).get()
    expectEqual(report.realmCount, 1)
    expectEqual(report.userCount, 1)
    let aside = try #require(report.aside)
    expectTrue(FileManager.default.fileExists(atPath: aside + "/apps/todos/accounts.realm"))
    try await server(port: port, store: address).run { url in
      realm.syncSession?.reconnect()
      try await realm.syncSession?.wait(for: .upload)
      try await add("after", to: realm)
      try await realm.syncSession?.wait(for: .upload)
      // The user, as another device logs in.
      let place = AppConfiguration(baseURL: url, defaultRequestTimeoutMS: 600_000)
      place.directory = directory.file("other")
      let user = try await App(id: "todos", configuration: place).login(
        credentials: .emailPassword(email: "a@b.c", password: "secret"))
      var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
        subscriptions.append(QuerySubscription<StoreTodo>())
      })
      configuration.objectTypes = [StoreTodo.self]
      let other = try await Realm(
        configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
      expectEqual(Set(other.objects(StoreTodo.self).map(\.text)), ["before", "meanwhile", "after"])
    }
    expectEqual(errors.withLock { $0.filter { $0.contains("eset") } }, [])
  }

  /// `SharedStore` 2
  @Test(.withPostgres) func aDatabaseWithAPartOfAFolderIsNotServed() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    let triggers = try await breakMove(to: address)
    // Neither by another server, nor by one with the folder.
    for name in ["other", "data"] {
      expectEqual(refusal(name, store: address)?.contains("has not ended"), true)
    }
    // Nor are its users shown or changed.
    let error = #expect(throws: ServerFailure.self) {
      let folder = try ServerDirectory(existing: directory.file("other"))
      try OperatorRecords(folder, store: address).close()
    }
    expectEqual(error.map { "\($0)".contains("has not ended") }, true)
    try FileManager.default.removeItem(atPath: triggers)
    try await expectEqual(move(to: address).get().userCount, 1)
    expectEqual(refusal("other", store: address), nil)
    expectEqual(refusal("data", store: address), nil)
  }

  /// The operator may want the database as it is: one start with `--replace-missing` says so.
  @Test(.withPostgres) func aMoveThatNeverEndsIsGivenUp() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    _ = try await breakMove(to: address)
    expectEqual(refusal("other", store: address)?.contains("--replace-missing"), true)
    try await server("other", store: address, replacesMissing: true).run { _ in }
    expectEqual(refusal("other", store: address), nil)
  }

  /// `SharedStore+Moving` 1
  @Test(.withPostgres) func aDatabaseThatIsServedGetsNoFolder() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    try await makeUser()
    let files = FileManager.default
    try files.copyItem(atPath: directory.file("data"), toPath: directory.file("copy"))
    _ = try await move(to: address).get()
    try await server(store: address).run { _ in
      await expectEqual(failure(address, "copy")?.contains("A server uses the database"), true)
      // Nothing of that stays, and others may come.
      expectEqual(refusal("other", store: address), nil)
    }
    expectTrue(files.fileExists(atPath: directory.file("copy/apps/todos/accounts.realm")))
  }
}
#endif
