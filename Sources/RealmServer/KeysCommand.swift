// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server keys …`: the API keys of apps, for programs in place of users.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmServerKit
import RealmSyncProtocol

/// The commands about the API keys of an app.
struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Makes and manages the API keys of an app.",
    discussion: """
      A program logs in with Credentials.serverAPIKey(_:), as a user of its own for each key. The \
      app needs the provider "api-key".
      """,
    subcommands: [
      ListCommand.self, CreateCommand.self, EnableCommand.self, DisableCommand.self,
      DeleteCommand.self,
    ])

  /// The options of each.
  struct Options: ParsableArguments {
    @OptionGroup var records: RecordOptions

    @OptionGroup var form: AnswerOptions

    func run(_ action: Action) async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await KeysCommand.answer(
          records.dir, records.appId, store: records.store, action, isJSON: form.json)
      }
    }
  }

  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the keys.")
    @OptionGroup var options: Options

    func run() async throws { try await options.run(.list) }
  }

  struct CreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Makes a key, and prints it this once.")
    @OptionGroup var options: Options
    @Argument(help: "The name of the key: letters, digits, \"_\" and \"-\".")
    var name: String

    func run() async throws { try await options.run(.create(name)) }
  }

  struct EnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "enable", abstract: "Lets a key be used again.")
    @OptionGroup var options: Options
    @Argument(help: "The name of the key.")
    var name: String

    func run() async throws { try await options.run(.enable(name)) }
  }

  struct DisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "disable", abstract: "Keeps a key from being used.")
    @OptionGroup var options: Options
    @Argument(help: "The name of the key.")
    var name: String

    func run() async throws { try await options.run(.disable(name)) }
  }

  struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Removes a key.")
    @OptionGroup var options: Options
    @Argument(help: "The name of the key.")
    var name: String

    func run() async throws { try await options.run(.delete(name)) }
  }

  /// The work with keys.
  enum Action: Hashable {
    case list
    case create(String)
    case enable(String)
    case disable(String)
    case delete(String)

    /// Whether logins with the key are over after it.
    var endsLogins: Bool {
      switch self {
      case .disable, .delete: true
      case .list, .create, .enable: false
      }
    }
  }

  static func answer(
    _ folder: String, _ appID: String?, store: String? = nil, _ action: Action,
    isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let place = RecordPlace(folder: folder, appID: appID, store: store)
    let (app, answer) = try await place.withUsers(
      { (app, users, records) async throws(AccountError) in
        (app, try await Self.answer(users, action, now: records.now))
      }, failure: failure)
    var notes: [String] = []
    // A running server ends the connections of the key.
    if action.endsLogins, let ended = try await CommandRequests(folder).ask(.endAccess)?.text {
      notes.append(ended)
    }
    if !app.accounts.allowsKeys {
      notes.append(
        "The app \(app.id) accepts no keys: its app.json lacks the provider \"api-key\".")
    }
    return CommandAnswer(
      answer.text, [JSONMember("app", .string(app.id))] + answer.members, notes: notes
    ).text(asJSON: isJSON)
  }

  private static func answer(
    _ store: AccountStore, _ action: Action, now: OriginTimestamp
  ) async throws(AccountError) -> CommandAnswer {
    func members(_ key: APIKey, _ more: [JSONMember] = []) -> [JSONMember] {
      [JSONMember("name", .string(key.name)), JSONMember("id", .string(key.id))] + more
    }
    switch action {
    case .list:
      let keys = try await store.keys(of: nil)
      let list = keys.map { key in
        JSONValue.object(members(key, [JSONMember("disabled", .bool(key.isDisabled))]))
      }
      let lines = keys.map { "\($0.name)  \($0.id)\($0.isDisabled ? "  disabled" : "")" }
      return CommandAnswer(
        keys.isEmpty ? "The app has no keys." : lines.joined(separator: "\n"),
        [JSONMember("keys", .array(list))])
    case .create(let name):
      guard APIKey.isName(name) else {
        throw .badParameter(
          "The name of a key has 1 to \(APIKey.nameCountMax) letters, digits, \"_\" and \"-\".")
      }
      let made = APIKey.make(
        named: name, for: nil, now: now, RandomBytes(), ServerCryptography())
      try await store.add(made.key)
      return CommandAnswer(made.text, members(made.key, [JSONMember("key", .string(made.text))]))
    case .enable(let name), .disable(let name), .delete(let name):
      guard let key = try await store.keys(of: nil).first(where: { $0.name == name }) else {
        throw .keyNotFound
      }
      if case .delete = action {
        _ = try await store.removeKey(key.id, of: nil)
        return CommandAnswer(
          "The key \(name) is removed, and its logins are over.",
          members(key, [JSONMember("deleted", .bool(true))]))
      }
      let isDisabled = action == .disable(name)
      _ = try await store.setKeyDisabled(isDisabled, key.id, of: nil)
      return CommandAnswer(
        isDisabled
          ? "The key \(name) is disabled, and its logins are over."
          : "The key \(name) is enabled.",
        members(key, [JSONMember("disabled", .bool(isDisabled))]))
    }
  }

  private static func failure(_ error: AccountError, _ app: AppFile) -> ServerFailure {
    switch error {
    case .badParameter(let text): ServerFailure(text)
    case .keyNameInUse:
      ServerFailure(
        "The app \(app.id) has a key of this name. Choose another, or delete that one.")
    case .tooManyKeys:
      ServerFailure("The app \(app.id) has \(APIKey.countMax) keys already. Delete one.")
    default: ServerFailure("The app \(app.id) has no key of this name.")
    }
  }
}
#endif
