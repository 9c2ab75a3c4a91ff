// SPDX-License-Identifier: Apache-2.0

// The command `realm-server users invite`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerKit

/// The command `realm-server users invite`.
struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite",
    abstract: "Mails users of an imported app how to choose a password.",
    discussion: """
      All users with an address and without a password are mailed who have no valid mail yet: a \
      command that was interrupted goes on. The server may run.

      Example: realm-server users invite --dir ./data
      """)

  @Option(help: "The folder of the server.")
  var dir: String

  @Option(help: "The app; needed if the folder has several.")
  var appId: String?

  @Option(help: "The mails that a mail server gets in a minute.")
  var mailsPerMinute = 60

  @OptionGroup var form: AnswerOptions

  func run() async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await Self.answer(
        dir, appId, mailsPerMinute: mailsPerMinute, isJSON: form.json)
    }
  }

  static func answer(
    _ folder: String, _ appID: String?, mailsPerMinute: Int, isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let directory = try ServerDirectory(existing: folder)
    let app = try directory.app(named: appID)
    let store: AccountStore
    do throws(AccountError) {
      store = try UserOptions.open(directory, app.id)
    } catch {
      throw UserOptions.failure(error, directory, app.id)
    }
    let key = try directory.signingKey(random: RandomBytes(), mayMake: false)
    let run = InvitationRun(
      app, in: directory, store: store, key: key, mailsPerMinute: mailsPerMinute)
    let outcome = try await run.run()
    return CommandAnswer(
      lines(outcome, app, directory).joined(separator: "\n"),
      [JSONMember("app", .string(app.id))] + members(outcome, app, directory)
    ).text(asJSON: isJSON)
  }

  /// The outcome for programs.
  static func members(
    _ outcome: InvitationRun.Outcome, _ app: AppFile, _ directory: ServerDirectory
  ) -> [JSONMember] {
    let isFolder = app.accounts.mail.delivery == .folder
    return [
      JSONMember("mails", JSONValue(outcome.sentCount)),
      JSONMember("outbox", isFolder ? .string(directory.outboxPath(app.id)) : .null),
      JSONMember("badAddresses", .array(outcome.badAddresses.map { .string($0) })),
    ]
  }

  /// The outcome in lines for the operator.
  static func lines(
    _ outcome: InvitationRun.Outcome, _ app: AppFile, _ directory: ServerDirectory
  ) -> [String] {
    var lines: [String] = []
    switch app.accounts.mail.delivery {
    case .folder:
      lines.append(
        "\(outcome.sentCount) mails wait in \(directory.outboxPath(app.id)) for a program of yours."
      )
    default: lines.append("\(outcome.sentCount) users were mailed.")
    }
    lines += outcome.badAddresses.map { "No mail can go to \($0)." }
    return lines
  }
}
#endif
