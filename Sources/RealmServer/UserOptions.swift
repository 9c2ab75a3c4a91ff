// SPDX-License-Identifier: Apache-2.0

// The user of a command, as the operator names it, and the record of it.

#if Server
import ArgumentParser
import RealmServerEngine
import RealmServerServices
import RealmServerKit
import RealmSyncProtocol

/// The options that name a user.
struct UserOptions: ParsableArguments {
  @OptionGroup var records: RecordOptions

  @Option(help: "The id of the user.")
  var user: String?

  @Option(help: "The address with which the user logs in, in place of the id.")
  var email: String?

  @OptionGroup var form: AnswerOptions

  /// Finds a user and does something with it.
  ///
  /// - Parameter body: Is called with the open users of the app, and the time.
  static func with<R>(
    _ place: RecordPlace, user: String?, email: String?,
    body: (AccountStore, Account, OriginTimestamp) async throws(AccountError) -> R
  ) async throws(ServerFailure) -> R {
    try requireOne(user, email)
    return try await place.withUsers { (_, store, records) async throws(AccountError) in
      guard let account = try await find(user, email, store) else {
        throw AccountError.userNotFound
      }
      return try await body(store, account, records.now)
    }
  }

  /// Fails unless a user is named in one way.
  static func requireOne(_ user: String?, _ email: String?) throws(ServerFailure) {
    guard (user == nil) != (email == nil) else {
      throw ServerFailure("Name the user with --user or with --email.")
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
}
#endif
