// SPDX-License-Identifier: Apache-2.0

// The command `realm-server apps`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerKit

/// The command `realm-server apps`.
struct AppsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps", abstract: "Lists the apps of a folder, with their users and sizes.",
    discussion: "Example: realm-server apps --dir ./data")

  @Option(help: "The folder of the server, which may run.")
  var dir: String

  @OptionGroup var form: AnswerOptions

  func run() throws {
    try RulesCommand.run { () throws(ServerFailure) in try Self.answer(dir, isJSON: form.json) }
  }

  static func answer(_ folder: String, isJSON: Bool) throws(ServerFailure) -> String {
    let statistics = try FolderStatistics(folder, withRealms: false)
    return isJSON ? JSONWriter.text(statistics.appsJSON) : statistics.appsText
  }
}
#endif
