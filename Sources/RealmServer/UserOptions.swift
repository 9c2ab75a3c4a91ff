// SPDX-License-Identifier: Apache-2.0

// The user of a command, as the operator names it, and the record of it.

#if Server
import ArgumentParser
import RealmServerEngine
import RealmServerKit

/// The options that name a user.
struct UserOptions: ParsableArguments {
  @Option(help: "The folder of the server.")
  var dir: String

  @Option(help: "The app; needed if the folder has several.")
  var appId: String?

  @Option(help: "The id of the user.")
  var user: String?

  @Option(help: "The address with which the user logs in, in place of the id.")
  var email: String?

  @OptionGroup var form: AnswerOptions

  /// Finds the user and does something with it.
  ///
  /// - Parameter body: Is called with the open file of the users of the app.
  static func with<R>(
    _ folder: String, _ appID: String?, user: String?, email: String?,
    body: (AccountStore, Account) async throws(AccountError) -> R
  ) async throws(ServerFailure) -> R {
    guard (user == nil) != (email == nil) else {
      throw ServerFailure("Name the user with --user or with --email.")
    }
    let directory = try ServerDirectory(existing: folder)
    let app = try directory.app(named: appID)
    do throws(AccountError) {
      let store = try open(directory, app.id)
      guard let account = try await find(user, email, store) else {
        throw AccountError.userNotFound
      }
      return try await body(store, account)
    } catch {
      throw failure(error, directory, app.id)
    }
  }

  /// Opens the file of the users of an app.
  static func open(
    _ directory: ServerDirectory, _ app: String
  ) throws(AccountError) -> AccountStore {
    guard !directory.hasSharedRealms else {
      throw .store(.unavailable("the users are in a database"))
    }
    do throws(StoreError) {
      return try AccountStore.open(
        directory.accountsPath(app), app: app, isNew: false, now: ServerClock.machine.now())
    } catch {
      throw .store(error)
    }
  }

  /// The user with an id or an address.
  static func find(
    _ user: String?, _ email: String?, _ store: AccountStore
  ) async throws(AccountError) -> Account? {
    if let user { return try await store.account(user) }
    guard let email else { return nil }
    return try await store.account(email: email)
  }

  /// The failure in words for the operator.
  static func failure(
    _ error: AccountError, _ directory: ServerDirectory, _ app: String
  ) -> ServerFailure {
    switch error {
    case .store where directory.hasSharedRealms:
      ServerFailure(
        "The users of \(directory.path) are in a database, and this command works on files alone. "
          + "Use the page of a running server (realm-server serve --admin-port).")
    case .store(let cause):
      ServerFailure(
        "\(directory.accountsPath(app)) cannot be used: \(ServerFailure.text(cause)). Start the "
          + "server once, and use its account.")
    default: ServerFailure("The app \(app) has no such user.")
    }
  }
}
#endif
