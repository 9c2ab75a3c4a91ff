// SPDX-License-Identifier: Apache-2.0

// The command `realm-server token create`: tokens of users for programs of the operator.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmServerKit

/// The commands about tokens of users.
struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Makes tokens with which a program acts as a user.",
    subcommands: [CreateCommand.self])

  /// The command `realm-server token create`.
  struct CreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Logs a user in, and prints the access token.",
      discussion: """
        The server may run. The token is that of a log-in: rules hold for it, users disable and \
        users delete end it. It is valid for the minutes that app.json says, 30 without a word; \
        --json has the refresh token, too, with which a program gets the next one.

        Example: curl -H "Authorization: Bearer $(realm-server token create --dir ./data \
        --email ann@example.org)" http://127.0.0.1:9090/api/client/v2.0/auth/profile
        """)

    @OptionGroup var options: UserOptions

    func run() async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await TokenCommand.answer(
          options.records.dir, options.records.appId, store: options.records.store,
          user: options.user, email: options.email, isJSON: options.form.json)
      }
    }
  }

  static func answer(
    _ folder: String, _ appID: String?, store: String? = nil, user: String?, email: String?,
    isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    try UserOptions.requireOne(user, email)
    let directory = try ServerDirectory(existing: folder)
    let key = try directory.signingKey(random: RandomBytes(), mayMake: false)
    let place = RecordPlace(folder: folder, appID: appID, store: store)
    return try await place.withUsers(
      { (app, store, records) async throws(AccountError) in
        guard let account = try await UserOptions.find(user, email, store) else {
          throw AccountError.userNotFound
        }
        let users = OperatorAccounts.service(
          of: app, in: directory, store: store, key: key, clock: records.clock)
        let login = try await users.logInForOperator(account.id)
        return CommandAnswer(
          login.accessToken,
          [
            JSONMember("app", .string(app.id)), JSONMember("user", .string(account.id)),
            JSONMember("access_token", .string(login.accessToken)),
            JSONMember("refresh_token", .string(login.refreshToken)),
            JSONMember("minutes", JSONValue(users.accessMinutes)),
          ]
        ).text(asJSON: isJSON)
      },
      failure: { error, app in
        guard case .userDisabled = error else {
          return ServerFailure("The app \(app.id) has no such user.")
        }
        return ServerFailure(
          "The user is disabled. Enable it first, with realm-server users enable.")
      })
  }
}
#endif
