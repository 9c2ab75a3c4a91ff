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

  static func lookAtSession(of realm: Realm) {
    // snippet: sync-session-state
    if let session = realm.syncSession {
      print(session.state)  // active, inactive (suspended, or after an error), invalid
      print(session.connectionState)  // disconnected, connecting, connected
      print(session.currentError?.message ?? "nothing hinders it")
    }
    // snippet end
  }

  static func follow(_ session: SyncSession) async throws {
    @Sendable func show(_ share: Double) {}
    // snippet: sync-session-progress
    let token = session.addProgressNotification(for: .download, mode: .reportIndefinitely) {
      show($0.progressEstimate)  // From 0 to 1, on a thread of the library.
    }
    try await session.wait(for: .upload)  // Until everything there is now is at the server.
    try await session.wait(for: .download)  // Until everything the server has now is here.
    token?.invalidate()
    // snippet end
  }

  static func waitTenSeconds(for session: SyncSession) async throws {
    // snippet: sync-session-patience
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await session.wait(for: .upload) }
      group.addTask { try await Task.sleep(for: .seconds(10)) }
      try await group.next()
      group.cancelAll()
    }
    // snippet end
  }

  static func handleErrors(of app: App) {
    @Sendable func log(_ text: String) {}
    // snippet: sync-session-errors
    app.syncManager.errorHandler = { error, session in
      guard let error = error as? SyncError else { return }
      switch error.code {
      case .writeRejected:
        for info in error.compensatingWriteInfo ?? [] { log(info.reason) }
      case .underlyingAuthError, .clientUserError: log("log in again")
      case .clientResetError: log("only in manual mode")
      default: log(error.message)
      }
    }
    // snippet end
  }
}
#endif
