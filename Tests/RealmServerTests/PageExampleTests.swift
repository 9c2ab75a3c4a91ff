// SPDX-License-Identifier: Apache-2.0

// The example of the documentation's actor page, with a server on the loopback address.

#if Server
import Foundation
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

class Todo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var owner: String
  @Persisted var status: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct PageExampleTests {
  /// The app of a server, on a device of its own.
  private func app(_ server: RunningServer, _ device: String) -> App {
    let configuration = AppConfiguration(
      baseURL: server.address, defaultRequestTimeoutMS: UInt(RunningServer.answerLimit))
    configuration.directory = server.directory.path + "/" + device
    return App(id: server.app, configuration: configuration)
  }

  @MainActor
  private func useTheSyncedRealm(realm: Realm) async throws -> [String] {
    try await realm.asyncWrite {
      realm.add(Todo(value: ["name": "Water the plants", "owner": "Ann", "status": "Open"]))
    }
    try await realm.syncSession?.wait(for: .upload)
    return realm.objects(Todo.self).map(\.name)
  }

  @Test @MainActor func mainThreadFunction() async throws {
    let server = try await RunningServer(mode: .flexible)
    // Initialize the app client and authenticate a user
    let app = app(server, "first")
    let user = try await app.login(credentials: Credentials.anonymous)
    // Configure the synced realm
    var flexSyncConfig = user.flexibleSyncConfiguration(initialSubscriptions: { subs in
      subs.append(QuerySubscription<Todo>(name: "all_todos"))
    })
    flexSyncConfig.objectTypes = [Todo.self]
    // Open and use the synced realm
    let realm = try await Realm(
      configuration: flexSyncConfig, actor: MainActor.shared, downloadBeforeOpen: .always)
    try await expectEqual(useTheSyncedRealm(realm: realm), ["Water the plants"])

    let other = try await self.app(server, "second").login(credentials: .anonymous)
    var configuration = other.flexibleSyncConfiguration(initialSubscriptions: { subs in
      subs.append(QuerySubscription<Todo>(name: "open") { $0.status == "Open" })
    })
    configuration.objectTypes = [Todo.self]
    let second = try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
    expectEqual(second.objects(Todo.self).map(\.name), ["Water the plants"])
    try await second.asyncWrite { second.objects(Todo.self).first?.status = "Done" }
    try await second.syncSession?.wait(for: .upload)
    try await realm.syncSession?.wait(for: .download)
    await realm.asyncRefresh()
    expectEqual(realm.objects(Todo.self).first?.status, "Done")
    try await server.stop()
  }

  @Test func accountsWithPasswords() async throws {
    let server = try await RunningServer(mode: .flexible)
    let app = app(server, "first")
    try await app.emailPasswordAuth.registerUser(email: "ann@example.org", password: "secret1")
    await #expect(throws: AppError.self) {
      try await app.login(
        credentials: .emailPassword(email: "ann@example.org", password: "wrong"))
    }
    let user = try await app.login(
      credentials: .emailPassword(email: "ann@example.org", password: "secret1"))
    expectEqual(user.profile.email, "ann@example.org")
    try await user.refreshCustomData()
    try await user.logOut()
    expectEqual(user.state, .loggedOut)
    try await server.stop()
  }
}
#endif
