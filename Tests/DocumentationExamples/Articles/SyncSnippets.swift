// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "Device sync", and of the guides in `Documentation/Sync`.

#if Sync
import Foundation
import RealmSwift

// snippet: sync-open
@MainActor
func openSharedTodos() async throws -> Realm {
  let app = App(
    id: "todos", configuration: AppConfiguration(baseURL: "https://sync.example.org"))
  let user: User
  if let known = app.currentUser {
    user = known
  } else {
    user = try await app.login(credentials: .emailPassword(email: "ada@example.org", password: "…"))
  }
  var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
    subscriptions.append(QuerySubscription<Todo>(name: "open") { !$0.isDone })
  })
  configuration.objectTypes = [Todo.self]
  return try await Realm(configuration: configuration, downloadBeforeOpen: .once)
}
// snippet end

/// The guides' app.
@MainActor
enum ServedApp {
  class Todo: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var owner: String

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static func openFormerFile(email: String, password: String) async throws -> Realm {
    // snippet: sync-former-file
    let app = App(id: "todos", configuration: AppConfiguration(baseURL: "https://sync.example.org"))
    let user = try await app.login(credentials: .emailPassword(email: email, password: password))

    var configuration = user.flexibleSyncConfiguration()
    configuration.syncConfiguration?.formerFile = .atlas(appID: "todos-abcde")
    let realm = try await Realm(configuration: configuration)
    // snippet end
    return realm
  }

  static func giveToOwner(_ realm: Realm, formerID: String, user: User) throws {
    // snippet: sync-former-owner
    try realm.write {
      for todo in realm.objects(Todo.self) where todo.owner == formerID { todo.owner = user.id }
    }
    // snippet end
  }

  static func handleResets(of user: User) -> Realm.Configuration {
    @Sendable func log(_ text: String) {}
    @Sendable func show(lost before: Realm, now after: Realm) {}
    // snippet: sync-reset-blocks
    var configuration = user.flexibleSyncConfiguration(
      clientResetMode: .recoverOrDiscardUnsyncedChanges(
        beforeReset: { before in log("resetting \(before.objects(Todo.self).count) todos") },
        afterReset: { before, after in show(lost: before, now: after) }))
    // snippet end
    configuration.objectTypes = [Todo.self]
    return configuration
  }

  static func handleManualResets(of app: App) {
    // snippet: sync-manual-reset
    app.syncManager.errorHandler = { error, session in
      guard let error = error as? SyncError, let (backup, token) = error.clientResetInfo() else {
        return
      }
      print("\(error.message) The file will be at \(backup).")
      // Close all realms of the file, then:
      SyncSession.immediatelyHandleError(token)
    }
    // snippet end
  }
}
#endif
