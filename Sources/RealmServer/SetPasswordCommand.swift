// SPDX-License-Identifier: Apache-2.0

// The command `realm-server users set-password`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmServerKit

/// The command `realm-server users set-password`.
struct SetPasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set-password", abstract: "Gives a user another password.",
    discussion: """
      The server may run. All devices of the user have to log in again, mailed links are void, \
      and the API keys of the user are disabled. Without --password-stdin a password is made, and \
      printed this once.

      Example: realm-server users set-password --dir ./data --email ann@example.org
      """)

  @OptionGroup var options: UserOptions

  @OptionGroup var source: PasswordSource

  func run() async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await Self.answer(
        options.records.dir, options.records.appId, store: options.records.store,
        user: options.user, email: options.email, password: try source.given(),
        isJSON: options.form.json)
    }
  }

  /// - Parameter password: Nil to have one made.
  static func answer(
    _ folder: String, _ appID: String?, store: String? = nil, user: String?, email: String?,
    password: String?, isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let directory = try ServerDirectory(existing: folder)
    let app = try directory.app(named: appID)
    let key = try directory.signingKey(random: RandomBytes(), mayMake: false)
    let given = password ?? PasswordSource.made()
    let place = RecordPlace(folder: folder, appID: app.id, store: store)
    let id = try await UserOptions.with(place, user: user, email: email) { _, account, _ in
      account.id
    }
    let failure = { @Sendable (error: AccountError, app: AppFile) in
      ServerFailure(
        NewUser.refusal(error, in: app.id, needsAddress: app.accounts.confirmation == .mail))
    }
    let new = try await place.withUsers(
      { (app, store, records) async throws(AccountError) in
        let users = OperatorAccounts.service(
          of: app, in: directory, store: store, key: key, clock: records.clock)
        return try await users.newPassword(given, ofUser: id)
      }, failure: failure)
    let ended: JSONValue
    let content = "\(app.id)\n\(JSONWriter.text(new.json))"
    if let answer = try await CommandRequests(folder).ask(.setPassword, content) {
      guard answer.isDone else { throw ServerFailure(answer.text) }
      ended = (try? JSONParser.parse(answer.text)) ?? .null
    } else {
      let reset = try await place.withUsers(
        { (app, store, records) async throws(AccountError) in
          try await OperatorAccounts.service(
            of: app, in: directory, store: store, key: key, clock: records.clock
          ).replacePassword(new)
        }, failure: failure)
      guard let reset else { throw ServerFailure(NewPassword.unused(id)) }
      ended = reset.json
    }
    return text(id, app.id, ended, made: password == nil ? given : nil, isJSON)
  }

  private static func text(
    _ user: String, _ app: String, _ ended: JSONValue, made: String?, _ isJSON: Bool
  ) -> String {
    var text = "The user \(user) of the app \(app) has another password, and has to log in again"
    var members = [JSONMember("app", .string(app)), JSONMember("user", .string(user))]
    let keys = (ended["disabledKeys"]?.array ?? []).compactMap(\.string)
    if !keys.isEmpty { text += "\nKeys that are disabled now: \(keys.joined(separator: ", "))" }
    let others = ended["otherLogins"]?.array ?? []
    if !others.isEmpty {
      let names = others.map {
        "\($0["provider_type"]?.string ?? "") \($0["name"]?.string ?? "")"
      }
      text += "\nOther ways to log in, which stay: \(names.joined(separator: ", "))"
    }
    members.append(JSONMember("disabledKeys", ended["disabledKeys"] ?? .array([])))
    members.append(JSONMember("otherLogins", .array(others)))
    if let made {
      text += "\nThe password, shown this once: \(made)"
      members.append(JSONMember("password", .string(made)))
    }
    return CommandAnswer(text, members).text(asJSON: isJSON)
  }
}
#endif
