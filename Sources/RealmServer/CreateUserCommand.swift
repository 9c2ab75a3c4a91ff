// SPDX-License-Identifier: Apache-2.0

// The command `realm-server users create`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmServerKit

/// The command `realm-server users create`.
struct CreateUserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Makes a user with an address and a password.",
    discussion: """
      The server may run. The address counts as confirmed, and nobody is mailed. Without \
      --password-stdin a password is made, and printed this once. The app needs the provider \
      "local-userpass".

      Example: realm-server users create --dir ./data --email ann@example.org \
      --custom-data '{"admin":true}'
      """)

  @OptionGroup var records: RecordOptions

  @Option(help: "The address with which the user logs in.")
  var email: String

  @OptionGroup var source: PasswordSource

  @Option(help: "Custom data, which rules read, as a JSON object.")
  var customData: String?

  @OptionGroup var form: AnswerOptions

  func run() async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await Self.answer(
        records.dir, records.appId, store: records.store, email: email,
        password: try source.given(),
        customData: try CustomDataCommand.data(customData, option: "--custom-data"),
        isJSON: form.json)
    }
  }

  /// - Parameter password: Nil to have one made.
  static func answer(
    _ folder: String, _ appID: String?, store: String? = nil, email: String, password: String?,
    customData: BSONValue? = nil, isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let directory = try ServerDirectory(existing: folder)
    let app = try directory.app(named: appID)
    if customData != nil { try CustomDataCommand.requireGiven(app) }
    let key = try directory.signingKey(random: RandomBytes(), mayMake: false)
    let given = password ?? PasswordSource.made()
    let place = RecordPlace(folder: folder, appID: app.id, store: store)
    let user = try await place.withUsers(
      { (app, store, records) async throws(AccountError) in
        let users = OperatorAccounts.service(
          of: app, in: directory, store: store, key: key, clock: records.clock)
        return try await users.newUser(email, password: given, customData: customData)
      }, failure: failure)
    let content = "\(app.id)\n\(JSONWriter.text(user.json))"
    if let answer = try await CommandRequests(folder).ask(.createUser, content) {
      guard answer.isDone else { throw ServerFailure(answer.text) }
    } else {
      try await place.withUsers(
        { (app, store, records) async throws(AccountError) in
          try await OperatorAccounts.service(
            of: app, in: directory, store: store, key: key, clock: records.clock
          ).create(user)
        }, failure: failure)
    }
    var text = "The user \(user.id) of the app \(app.id) is made, and logs in as \(user.name)"
    var members = [
      JSONMember("app", .string(app.id)), JSONMember("user", .string(user.id)),
      JSONMember("email", .string(user.name)),
    ]
    if password == nil {
      text += "\nThe password, shown this once: \(given)"
      members.append(JSONMember("password", .string(given)))
    }
    return CommandAnswer(text, members).text(asJSON: isJSON)
  }

  private static func failure(_ error: AccountError, _ app: AppFile) -> ServerFailure {
    ServerFailure(
      NewUser.refusal(error, in: app.id, needsAddress: app.accounts.confirmation == .mail))
  }
}
#endif
