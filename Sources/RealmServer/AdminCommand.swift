// SPDX-License-Identifier: Apache-2.0

// The command `realm-server admin`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerKit

/// The command `realm-server admin`.
struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Prints the address of the running server's page.",
    discussion: """
      The server was started with --admin-port. The page is on this machine alone; from another \
      one, ssh -L 9091:127.0.0.1:9091 HOST leads to it. Whoever has the address can manage users.

      Example: realm-server admin --dir ./data
      """)

  @Option(help: "The folder of the server.")
  var dir: String

  @OptionGroup var form: AnswerOptions

  func run() throws {
    try RulesCommand.run { () throws(ServerFailure) in
      try Self.answer(dir, isJSON: form.json)
    }
  }

  static func answer(_ folder: String, isJSON: Bool = false) throws(ServerFailure) -> String {
    _ = try ServerDirectory(existing: folder)
    guard let address = AdminAddress.read(folder) else {
      throw ServerFailure(
        "No server with a page uses the folder \(folder). Start it with --admin-port 9091.")
    }
    return CommandAnswer(address, [JSONMember("url", .string(address))]).text(asJSON: isJSON)
  }
}
#endif
