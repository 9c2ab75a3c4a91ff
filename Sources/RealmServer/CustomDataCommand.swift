// SPDX-License-Identifier: Apache-2.0

// The command `realm-server users custom-data`.

#if Server
import ArgumentParser
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerKit
import RealmStorage
import RealmSyncProtocol

/// The command `realm-server users custom-data`.
struct CustomDataCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "custom-data",
    abstract: "Shows, sets or removes the custom data of a user, which rules read.",
    discussion: """
      The server may run: sessions of users with other rights begin again. Apps see the data after \
      user.refreshCustomData().

      Example: realm-server users custom-data --dir ./data --email ann@example.org \
      --set '{"editor":true}'
      """)

  @Option(help: "The folder of the server.")
  var dir: String

  @Option(help: "The app; needed if the folder has several.")
  var appId: String?

  @Option(help: "The id of the user.")
  var user: String?

  @Option(help: "The address with which the user logs in, in place of the id.")
  var email: String?

  @Option(help: "The new data, as a JSON object.")
  var set: String?

  @Flag(help: "Remove the data.")
  var remove = false

  @OptionGroup var form: AnswerOptions

  func run() async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await Self.answer(
        dir, appId, user: user, email: email, try Self.change(set: set, removes: remove),
        isJSON: form.json)
    }
  }

  private static let byteCountMax = 16 << 10

  /// The command's work with the data.
  enum Change: Hashable {
    case none
    case set(BSONValue)
    case remove
  }

  static func change(set text: String?, removes: Bool) throws(ServerFailure) -> Change {
    guard let text else { return removes ? .remove : .none }
    guard !removes else { throw ServerFailure("--set and --remove exclude each other.") }
    guard let value = try? ExtendedJSONReader.parse(text), case .document = value else {
      throw ServerFailure("--set needs a JSON object, like '{\"editor\":true}'.")
    }
    // It is in each access token, and so in the first line of each handshake.
    guard text.utf8.count <= byteCountMax else {
      throw ServerFailure(
        "--set has \(text.utf8.count) bytes, and custom data may have \(byteCountMax): it is in "
          + "each access token. Keep the rest in an object of the app.")
    }
    return .set(value)
  }

  static func answer(
    _ folder: String, _ appID: String?, user: String?, email: String?, _ change: Change,
    isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    guard (user == nil) != (email == nil) else {
      throw ServerFailure("Name the user with --user or with --email.")
    }
    let directory = try ServerDirectory(existing: folder)
    let app = try directory.app(named: appID)
    if let source = app.customUserData {
      throw ServerFailure(
        "The custom data of a user of the app \(app.id) is the object of the class "
          + "\(source.className) with the user's id in \(source.userField). Change it there.")
    }
    var lines: [String] = []
    var members: [JSONMember] = []
    do throws(AccountError) {
      let store = try UserOptions.open(directory, app.id)
      guard var account = try await UserOptions.find(user, email, store) else {
        throw AccountError.userNotFound
      }
      switch change {
      case .none: break
      case .set(let data):
        try await store.setCustomData(data, of: account.id)
        account.customData = data
      case .remove:
        try await store.setCustomData(nil, of: account.id)
        account.customData = nil
      }
      let data = account.customData.map { ExtendedJSONWriter.text($0) } ?? "none"
      lines.append("The custom data of the user \(account.id): \(data)")
      members = [
        JSONMember("user", .string(account.id)),
        JSONMember("customData", account.customData.map { ExtendedJSONWriter.json($0) } ?? .null),
      ]
    } catch {
      throw UserOptions.failure(error, directory, app.id)
    }
    let checked = change == .none ? nil : try await CommandRequests(folder).ask(.recheck)?.text
    return CommandAnswer(lines.joined(separator: "\n"), members, notes: [checked ?? ""])
      .text(asJSON: isJSON)
  }
}
#endif
