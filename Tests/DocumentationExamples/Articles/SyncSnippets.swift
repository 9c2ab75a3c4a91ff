// SPDX-License-Identifier: Apache-2.0

// The snippet of the article "Device sync".

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
#endif
