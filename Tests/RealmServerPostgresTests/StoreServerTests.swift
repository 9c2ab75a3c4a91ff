// SPDX-License-Identifier: Apache-2.0

// A server whose realms are in PostgreSQL, with a device.

#if Postgres
import Foundation
import Logging
import RealmServerKit
import RealmServerPostgres
import RealmSwift
import RealmTestSupport
import Testing

/// A thing to do.
class StoreTodo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var text: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct StoreServerTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func server(_ folder: String, store: String?) throws -> RealmServer {
    var configuration = RealmServerConfiguration(folder: directory.file(folder), port: 0)
    configuration.store = store
    var logger = Logging.Logger(label: "test")
    logger.logLevel = .error
    return try RealmServer(
      configuration,
      apps: [AppDefinition("todos", settings: AppSettings(), classes: [StoreTodo.self])],
      logger: logger)
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
      #expect(try await todos.count(filter: ["text": "by a device"]) == 1)
      _ = try await todos.insertOne(["text": "by the server"])
      #expect(try await todos.count(filter: [:]) == 2)
    }
    let rows = try cluster.run(
      "SELECT id FROM openrealm.realm", in: String(address.split(separator: "=").last ?? ""))
    #expect(rows == [[.text("todos/flexible")]])
  }

  /// `SharedStore` 1
  @Test(.withPostgres) func aFolderStaysWithItsStore() async throws {
    let cluster = try PostgresCluster.shared.get()
    let address = cluster.address(try cluster.makeDatabase())
    #expect(failure("shared", store: address) == nil)
    #expect(failure("shared", store: nil)?.contains("give its address with --store") == true)
    for _ in 1...2 {
      let server = try server("own", store: nil)
      try await server.run { _ in
        _ = try await server.app("todos").collection(StoreTodo.self).insertOne(["text": "a"])
      }
    }
    #expect(failure("own", store: address)?.contains("has realms in") == true)
  }

  @Test func anAddressIsCheckedBeforeItIsUsed() {
    #expect(failure("a", store: "host/name")?.contains("--store needs the address") == true)
    let text = failure("a", store: "postgresql:///x?host=/no/such/folder&connect_timeout=1")
    #expect(text?.contains("The database of --store cannot be used") == true)
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
    #expect(!FileManager.default.fileExists(atPath: directory.file("copy")))
    // The list of apps needs no realms.
    _ = try FolderStatistics(folder, withRealms: false)
  }
}
#endif
