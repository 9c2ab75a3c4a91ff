// SPDX-License-Identifier: Apache-2.0

// The command `realm-server users custom-data`.

#if Server
import ArgumentParser
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
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

  @OptionGroup var options: UserOptions

  @Option(help: "The new data, as a JSON object.")
  var set: String?

  @Flag(help: "Remove the data.")
  var remove = false

  func run() async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await Self.answer(
        options.records.dir, options.records.appId, store: options.records.store,
        user: options.user, email: options.email, try Self.change(set: set, removes: remove),
        isJSON: options.form.json)
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
    guard let data = try data(text, option: "--set") else { return removes ? .remove : .none }
    guard !removes else { throw ServerFailure("--set and --remove exclude each other.") }
    return .set(data)
  }

  /// The custom data of an option; nil if it is not given.
  static func data(_ text: String?, option: String) throws(ServerFailure) -> BSONValue? {
    guard let text else { return nil }
    guard let value = try? ExtendedJSONReader.parse(text), case .document = value else {
      throw ServerFailure("\(option) needs a JSON object, like '{\"editor\":true}'.")
    }
    // It is in each access token, and so in the first line of each handshake.
    guard text.utf8.count <= byteCountMax else {
      throw ServerFailure(
        "\(option) has \(text.utf8.count) bytes, and custom data may have \(byteCountMax): it is "
          + "in each access token. Keep the rest in an object of the app.")
    }
    return value
  }

  /// Fails where the custom data of users are objects, which the app changes.
  static func requireGiven(_ app: AppFile) throws(ServerFailure) {
    guard let source = app.customUserData else { return }
    throw ServerFailure(
      "The custom data of a user of the app \(app.id) is the object of the class "
        + "\(source.className) with the user's id in \(source.userField). Change it there.")
  }

  static func answer(
    _ folder: String, _ appID: String?, store: String? = nil, user: String?, email: String?,
    _ change: Change, isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    try UserOptions.requireOne(user, email)
    let app = try ServerDirectory(existing: folder).app(named: appID)
    try requireGiven(app)
    let place = RecordPlace(folder: folder, appID: app.id, store: store)
    let (id, data) = try await UserOptions.with(place, user: user, email: email) {
      (store, account, _) async throws(AccountError) in
      switch change {
      case .none: return (account.id, account.customData)
      case .set(let data):
        try await store.setCustomData(data, of: account.id)
        return (account.id, data)
      case .remove:
        try await store.setCustomData(nil, of: account.id)
        return (account.id, nil)
      }
    }
    let text = data.map { ExtendedJSONWriter.text($0) } ?? "none"
    let members = [
      JSONMember("user", .string(id)),
      JSONMember("customData", data.map { ExtendedJSONWriter.json($0) } ?? .null),
    ]
    let checked = change == .none ? nil : try await CommandRequests(folder).ask(.recheck)?.text
    return CommandAnswer(
      "The custom data of the user \(id): \(text)", members, notes: [checked ?? ""]
    ).text(asJSON: isJSON)
  }
}
#endif
