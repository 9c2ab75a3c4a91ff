// SPDX-License-Identifier: Apache-2.0

// The command `realm-server import`.

#if Server
import ArgumentParser
import Foundation
import RealmServerEngine
import RealmServerKit
import RealmServerServices

/// The command `realm-server import`.
struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Makes an app of an export of Atlas App Services and a dump.",
    discussion: """
      The export is the folder that `appservices pull` makes, the dump is what mongodump or \
      mongoexport writes. It prints what is carried over and what is not, and asks before it \
      begins. Users keep their ids. They get a mail with which they choose a new password, as \
      passwords cannot be exported. An import that was interrupted goes on with the same command.

      Example: realm-server import --app-services ./export --data ./dump --users users.json \
      --out ./data
      """)

  @Option(help: "The folder of the export.")
  var appServices: String

  @Option(help: "The folder or the file of the dump; none for an app without documents.")
  var data: String?

  @Option(help: "The list of users, as JSON.")
  var users: String?

  @Option(help: "The folder of the server, which is made if it is missing.")
  var out: String

  @Flag(help: "Print what would be done, and do nothing.")
  var dryRun = false

  @Flag(help: "Do not ask.")
  var yes = false

  @Flag(help: "End at the first document that does not fit the schema, in place of leaving it out.")
  var strict = false

  @Flag(
    help: """
      Leave out documents that cannot be read, as those that do not fit, and the rest of a file \
      that is cut.
      """)
  var skipDamaged = false

  @Flag(help: "Remove what an interrupted import has left, and begin again.")
  var startOver = false

  @Flag(inversion: .prefixedNo, help: "Mail users how to choose a password, at the end.")
  var mail = true

  @Option(help: "The mails that a mail server gets in a minute.")
  var mailsPerMinute = 60

  @OptionGroup var form: AnswerOptions

  func run() async throws {
    var request = ImportRequest(export: appServices, data: data, out: out)
    request.users = users
    request.isDryRun = dryRun
    request.startsOver = startOver
    request.sendsMail = mail
    request.mailsPerMinute = mailsPerMinute
    request.isJSON = form.json
    request.options.isStrict = strict
    request.options.skipsDamaged = skipDamaged
    try await RulesCommand.run { [request] () async throws(ServerFailure) in
      try await request.answer(ask: { yes || Self.isAgreed() }) { text in
        FileHandle.standardError.write(Data(text.utf8))
      }
    }
  }

  /// Asks on the terminal.
  private static func isAgreed() -> Bool {
    guard isatty(0) == 1 else { return false }
    FileHandle.standardError.write(Data("Begin? [y/N] ".utf8))
    return readLine()?.lowercased().hasPrefix("y") == true
  }
}
#endif
