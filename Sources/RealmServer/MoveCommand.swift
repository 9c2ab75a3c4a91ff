// SPDX-License-Identifier: Apache-2.0

// The command `realm-server move`.

#if Server
import ArgumentParser
import Logging
import RealmFormats
import RealmServerKit

/// The command `realm-server move`.
struct MoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Moves the data of a stopped server to a PostgreSQL database.",
    discussion: """
      Realms with their histories and devices, users, triggers and settings: devices go on where \
      they were, without a reset. The files of the folder stay as they are until the database has \
      all of them. What is interrupted goes on with the same command.

      Example: realm-server move --dir ./data --store postgresql://localhost/realms
      """)

  @Option(help: "The folder of the server, which is stopped.")
  var dir: String

  @Option(
    help: ArgumentHelp(
      """
      The database. A password is better in PGPASSWORD or in a file of PGPASSFILE.
      """,
      valueName: "postgresql://host/name"))
  var store: String

  @OptionGroup var form: AnswerOptions

  func run() throws {
    var logger = Logger(label: "realm-server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = .notice
    try RulesCommand.run { [dir, store, form, logger] () throws(ServerFailure) in
      let report = try StoreMove.run(dir, to: store, logger: logger)
      return form.json ? JSONWriter.text(report.json) : report.text
    }
  }
}
#endif
