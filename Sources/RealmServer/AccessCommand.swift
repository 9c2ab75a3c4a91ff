// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server users disable` and `realm-server users enable`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmServerKit

/// Whether a user may log in and have connections.
enum AccessCommand {
  /// Changes it, and has the running server end the user's connections.
  static func answer(
    _ folder: String, _ appID: String?, store: String? = nil, user: String?, email: String?,
    disables: Bool, isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let place = RecordPlace(folder: folder, appID: appID, store: store)
    let id = try await UserOptions.with(place, user: user, email: email) {
      (store, account, _) async throws(AccountError) in
      try await store.setDisabled(disables, of: account.id)
      return account.id
    }
    let text = "The user \(id) is \(disables ? "disabled" : "enabled")"
    var ended: String?
    if disables {
      do throws(ServerFailure) {
        ended = try await CommandRequests(folder).ask(.endAccess)?.text
      } catch {
        throw ServerFailure(
          "\(text) from the next log-in on. The connections of the user are open: "
            + error.description
        )
      }
    }
    return CommandAnswer(
      text, [JSONMember("user", .string(id)), JSONMember("disabled", .bool(disables))],
      notes: [ended ?? ""]
    ).text(asJSON: isJSON)
  }

  static func run(_ options: UserOptions, disables: Bool) async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await answer(
        options.records.dir, options.records.appId, store: options.records.store,
        user: options.user, email: options.email, disables: disables, isJSON: options.form.json)
    }
  }
}

/// The command `realm-server users disable`.
struct DisableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable",
    abstract: "Ends the access of a user, who loses all connections at once.",
    discussion: """
      The server may run. The user stays known, with all data, and cannot log in until it is \
      enabled again. Devices keep what they have not uploaded, and upload it then.

      Example: realm-server users disable --dir ./data --email ann@example.org
      """)

  @OptionGroup var options: UserOptions

  func run() async throws { try await AccessCommand.run(options, disables: true) }
}

/// The command `realm-server users enable`.
struct EnableCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Lets a user who was disabled log in again.",
    discussion: "Example: realm-server users enable --dir ./data --email ann@example.org")

  @OptionGroup var options: UserOptions

  func run() async throws { try await AccessCommand.run(options, disables: false) }
}
#endif
