// SPDX-License-Identifier: Apache-2.0

// The command `realm-server users invite`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerServices
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

  @OptionGroup var records: RecordOptions

  @Option(help: "The mails that a mail server gets in a minute.")
  var mailsPerMinute = 60

  @OptionGroup var form: AnswerOptions

  func run() async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await Self.answer(
        records.dir, records.appId, store: records.store, mailsPerMinute: mailsPerMinute,
        isJSON: form.json)
    }
  }

  static func answer(
    _ folder: String, _ appID: String?, store: String? = nil, mailsPerMinute: Int,
    isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let directory = try ServerDirectory(existing: folder)
    let key = try directory.signingKey(random: RandomBytes(), mayMake: false)
    let place = RecordPlace(folder: folder, appID: appID, store: store)
    let (app, outcome) = try await place.withRecords { (app, records) async throws(ServerFailure) in
      let run = InvitationRun(
        app, in: directory, store: try records.users(of: app.id), key: key,
        mailsPerMinute: mailsPerMinute, clock: records.clock)
      return (app, try await run.run())
    }
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
