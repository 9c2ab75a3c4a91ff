// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server users …`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmServerKit

/// The commands about users.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "Shows and changes what an app knows of its users.",
    subcommands: [
      ListCommand.self, CreateUserCommand.self, CustomDataCommand.self,
      SetPasswordCommand.self, DisableCommand.self, EnableCommand.self, DeleteCommand.self,
      InviteCommand.self,
    ])

  /// The command `realm-server users list`.
  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Lists the users of an app, the oldest first.",
      discussion: "Example: realm-server users list --dir ./data --search @example.org")

    @OptionGroup var records: RecordOptions

    @Option(help: "A part of the id, of the address or of another name.")
    var search = ""

    @OptionGroup var form: AnswerOptions

    func run() async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await UsersCommand.list(
          records.dir, records.appId, store: records.store, search: search, isJSON: form.json)
      }
    }
  }

  /// The command `realm-server users delete`.
  struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete",
      abstract: "Removes a user with all ways to log in, and ends the connections.",
      discussion: """
        The server may run. The objects that the user has written stay. Somebody with the same \
        address may register again, as another user.

        Example: realm-server users delete --dir ./data --email ann@example.org
        """)

    @OptionGroup var options: UserOptions

    func run() async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await UsersCommand.delete(
          options.records.dir, options.records.appId, store: options.records.store,
          user: options.user, email: options.email, isJSON: options.form.json)
      }
    }
  }

  /// The users of an app, as lines or as JSON.
  static func list(
    _ folder: String, _ appID: String?, store: String? = nil, search: String, isJSON: Bool
  ) async throws(ServerFailure) -> String {
    let place = RecordPlace(folder: folder, appID: appID, store: store)
    let page = try await place.withUsers { (_, store, _) async throws(AccountError) in
      try await store.page(AccountPage.Request(search: search))
    }
    guard !isJSON else { return JSONWriter.text(page.json) }
    guard !page.users.isEmpty else {
      return search.isEmpty ? "The app has no users." : "The app has no such user."
    }
    return page.users.map(\.line).joined(separator: "\n")
  }

  /// Removes a user: by the server if one runs, which ends the connections at once.
  static func delete(
    _ folder: String, _ appID: String?, store: String? = nil, user: String?, email: String?,
    isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let file = try ServerDirectory(existing: folder).app(named: appID)
    let (app, kinds) = (file.id, file.accounts.recordedEvents)
    let place = RecordPlace(folder: folder, appID: app, store: store)
    let id = try await UserOptions.with(place, user: user, email: email) { _, account, _ in
      account.id
    }
    if let answer = try await CommandRequests(folder).ask(.deleteUser, "\(app)\n\(id)") {
      guard answer.isDone else { throw ServerFailure(answer.text) }
      return deletion(id, app, answer.text).text(asJSON: isJSON)
    }
    return try await UserOptions.with(place, user: id, email: nil) {
      (store, account, now) async throws(AccountError) in
      guard try await store.delete(account.id, at: now, recording: kinds) else {
        throw AccountError.userNotFound
      }
      return deletion(id, app, "The user \(account.id) of the app \(app) is deleted")
        .text(asJSON: isJSON)
    }
  }

  private static func deletion(_ id: String, _ app: String, _ text: String) -> CommandAnswer {
    CommandAnswer(
      text,
      [
        JSONMember("app", .string(app)), JSONMember("user", .string(id)),
        JSONMember("deleted", .bool(true)),
      ])
  }
}
#endif
