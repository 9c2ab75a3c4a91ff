// SPDX-License-Identifier: Apache-2.0

// The command `realm-server users custom-data`.

#if Server
import ArgumentParser
import Foundation
import RealmFormats
import RealmServerEngine
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

  func run() async throws {
    let answer: Result<String, ServerFailure>
    do throws(ServerFailure) {
      answer = .success(
        try await Self.answer(
          dir, appId, user: user, email: email, try Self.change(set: set, removes: remove)))
    } catch {
      answer = .failure(error)
    }
    try RulesCommand.run { () throws(ServerFailure) in try answer.get() }
  }

  private static let byteCountMax = 16 << 10

  /// What the command does with the data.
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
    _ folder: String, _ appID: String?, user: String?, email: String?, _ change: Change
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
    do throws(AccountError) {
      let store = try open(directory, app.id)
      guard var account = try await find(user, email, store) else {
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
    } catch {
      throw failure(error, directory, app.id)
    }
    if change != .none, let answer = try await CommandRequests(folder).ask(.recheck),
      !answer.text.isEmpty
    {
      lines.append(answer.text)
    }
    return lines.joined(separator: "\n")
  }

  static func open(
    _ directory: ServerDirectory, _ app: String
  ) throws(AccountError) -> AccountStore {
    do throws(StoreError) {
      return try AccountStore.open(
        directory.accountsPath(app), app: app, isNew: false, now: ServerProgram.clock.now())
    } catch {
      throw .store(error)
    }
  }

  private static func find(
    _ user: String?, _ email: String?, _ store: AccountStore
  ) async throws(AccountError) -> Account? {
    if let user { return try await store.account(user) }
    guard let email else { return nil }
    return try await store.account(email: email)
  }

  static func failure(
    _ error: AccountError, _ directory: ServerDirectory, _ app: String
  ) -> ServerFailure {
    switch error {
    case .store(let cause):
      ServerFailure(
        "\(directory.accountsPath(app)) cannot be used: \(ServerFailure.text(cause)). Start the "
          + "server once, and use its account.")
    default: ServerFailure("The app \(app) has no such user.")
    }
  }
}
#endif
