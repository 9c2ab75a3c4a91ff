// SPDX-License-Identifier: Apache-2.0

// The example of the page about actors that opens a synchronised realm.

#if Sync
import Foundation
import RealmSwift
import RealmTestSupport
import Testing

/// Says whether the module knows a type to be sendable; compiles for sendable types only.
nonisolated private func requireSendable<T: Sendable>(_: T.Type) {}

@Suite(.serialized) struct SyncExampleTests {
  @Test(.timeLimit(.minutes(10))) func openingASynchronisedRealm() async throws {
    let server = try ExampleServer()
    defer { server.stop() }
    // Both run the page's function: each adds a todo, and waits until it is at the server.
    server.become("first")
    try await open(thenHaving: ["Prepare fireworks"])
    server.become("second")
    try await open(thenHaving: ["Keep it secret", "Prepare fireworks"])
  }

  @MainActor private func open(thenHaving names: [String]) async throws {
    @MainActor
    func useTheSyncedRealm(realm: Realm) async throws {
      let present = realm.objects(Todo.self).map(\.name).sorted()
      for name in names where !present.contains(name) {
        try await realm.asyncWrite {
          realm.create(
            Todo.self,
            value: [
              "_id": ObjectId.generate(), "name": name, "owner": "Gandalf",
              "status": "In Progress",
            ])
        }
      }
      #expect(realm.objects(Todo.self).map(\.name).sorted() == names)
      #expect(realm.subscriptions.first(named: "all_todos") != nil)
      try await realm.syncSession?.wait(for: .upload)
    }

    @MainActor
    func mainThreadFunction() async throws {
      // Initialize the app client and authenticate a user
      let app = App(id: APPID)
      let user = try await app.login(credentials: Credentials.anonymous)
      // Configure the synced realm
      var flexSyncConfig = user.flexibleSyncConfiguration(initialSubscriptions: { subs in
        subs.append(QuerySubscription<Todo>(name: "all_todos"))
      })
      flexSyncConfig.objectTypes = [Todo.self]
      // Open and use the synced realm
      let realm = try await Realm(
        configuration: flexSyncConfig, actor: MainActor.shared, downloadBeforeOpen: .always)
      try await useTheSyncedRealm(realm: realm)
    }
    try await mainThreadFunction()
  }

  @Test func whatThePagesCallSendableIs() {
    requireSendable(AnyBSON.self)
    requireSendable(APIKeyAuth.self)
    requireSendable(App.self)
    requireSendable(AsyncOpenTask.self)
    requireSendable(Realm.AsyncOpenTask.self)
    requireSendable(ChangeStream.self)
    requireSendable(CompensatingWriteInfo.self)
    requireSendable(Credentials.self)
    requireSendable(EmailPasswordAuth.self)
    requireSendable(MaxKey.self)
    requireSendable(MinKey.self)
    requireSendable(MongoClient.self)
    requireSendable(MongoCollection.self)
    requireSendable(MongoDatabase.self)
    requireSendable(PushClient.self)
    requireSendable(SyncConfiguration.self)
    requireSendable(SyncError.ActionToken.self)
    requireSendable(SyncManager.self)
    requireSendable(SyncSession.self)
    requireSendable(SyncSession.Progress.self)
    requireSendable(SyncSession.ProgressNotificationToken.self)
    requireSendable(UpdateResult.self)
    requireSendable(User.self)
    requireSendable(UserAPIKey.self)
    requireSendable(UserIdentity.self)
    requireSendable(UserProfile.self)
  }
}
#endif
