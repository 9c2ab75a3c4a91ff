// SPDX-License-Identifier: Apache-2.0

// The model of the app: who uses this device, and the realm that the views show. It has no SwiftUI,
// so that it is tested where there is none.

#if Sync
import Foundation
import Observation
import RealmSwift

/// The user of this device.
@MainActor @Observable
final class TodoAccount {
  /// The realm of the user; nil while nobody is logged in.
  private(set) var configuration: Realm.Configuration?
  /// The id of the user, which each new object gets.
  private(set) var owner = ""
  /// Why the last log-in failed, for the user.
  private(set) var failure: String?
  /// Whether a log-in is being answered.
  private(set) var isBusy = false

  private let app: RealmSwift.App

  /// - Parameters:
  ///   - app: The id of the app, as realm-server prints it.
  ///   - settings: Has the address of the server.
  init(app: String, settings: AppConfiguration) {
    self.app = RealmSwift.App(id: app, configuration: settings)
    // Whoever was logged in before sees the list at once, also without a network.
    if let user = self.app.currentUser { use(user) }
  }

  /// Logs a user in, who is registered before if that is asked for.
  func logIn(email: String, password: String, isNew: Bool = false) async {
    (isBusy, failure) = (true, nil)
    defer { isBusy = false }
    do {
      if isNew {
        try await app.emailPasswordAuth.registerUser(email: email, password: password)
      }
      use(try await app.login(credentials: .emailPassword(email: email, password: password)))
    } catch {
      failure = error.localizedDescription
    }
  }

  /// Logs the user out. What was not uploaded yet stays on the device until the next log-in.
  func logOut() async {
    try? await app.currentUser?.logOut()
    (configuration, owner) = (nil, "")
  }

  private func use(_ user: User) {
    var configuration = user.flexibleSyncConfiguration(initialSubscriptions: { subscriptions in
      // All todos that the rules of the server let this user read.
      subscriptions.append(QuerySubscription<Todo>(name: "all_todos"))
    })
    configuration.objectTypes = [Todo.self]
    (self.configuration, owner) = (configuration, user.id)
  }
}
#endif
