// SPDX-License-Identifier: Apache-2.0

// A server moves from its folder to a database, and its devices notice nothing.

#if Postgres
import Foundation
import Logging
import RealmServerKit
import RealmStorage
import RealmSwift
import RealmTestSupport
import Testing

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

  private var folder: String { directory.file("data") }

  private func server(port: Int = 0, store: String?) throws -> RealmServer {
    var configuration = RealmServerConfiguration(folder: folder, port: port)
    configuration.store = store
    var settings = AppSettings()
    settings.logIns = [.emailPassword()]
    return try RealmServer(
      configuration,
      apps: [AppDefinition("todos", settings: settings, classes: [StoreTodo.self])],
      logger: logger)
  }

  /// Moves the folder, on a thread that may wait for the database.
  private func move(to address: String) async -> Result<StoreMove.Report, any Error> {
    let (folder, logger) = (folder, logger)
    return await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          returning: Result { try StoreMove.run(folder, to: address, logger: logger) })
      }
    }
  }

  private func failure(_ address: String) async -> String? {
    if case .failure(let error) = await move(to: address) { "\(error)" } else { nil }
  }

  @MainActor private func add(_ text: String, to realm: Realm) async throws {
    try await realm.asyncWrite {
      let todo = StoreTodo()
      todo.text = text
      realm.add(todo)
    }
  }

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
      #expect(await failure(address)?.contains("uses the folder") == true)
    }
    let realm = try #require(opened)
    try await add("meanwhile", to: realm)
    // A move that breaks leaves all as it was, and is made again.
    #expect(await failure("postgresql:///x?host=/no/such/folder&connect_timeout=1") != nil)
    let report = try await move(to: address).get()
    #expect(report.realmCount == 1 && report.userCount == 1)
    let aside = try #require(report.aside)
    #expect(FileManager.default.fileExists(atPath: aside + "/apps/todos/accounts.realm"))
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
      #expect(Set(other.objects(StoreTodo.self).map(\.text)) == ["before", "meanwhile", "after"])
    }
    #expect(errors.withLock { $0.filter { $0.contains("eset") } } == [])
  }
}
#endif
