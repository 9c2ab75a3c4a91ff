// SPDX-License-Identifier: Apache-2.0

// The command `realm-server stats`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerKit

/// The command `realm-server stats`.
struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Shows the realms of a folder: sizes, versions, histories, devices, who is behind.",
    discussion: """
      The server may run; then it shows who is connected. A device that is away is as far as it \
      has said with its last upload, so it may have more.

      Example: realm-server stats --dir ./data --devices
      """)

  @Option(help: "The folder of the server, or a backup.")
  var dir: String

  @Option(help: "The app; all if none is given.")
  var appId: String?

  @Flag(help: "Show each device.")
  var devices = false

  @OptionGroup var form: AnswerOptions

  func run() async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await Self.answer(dir, appId, withDevices: devices, isJSON: form.json)
    }
  }

  static func answer(
    _ folder: String, _ appID: String?, withDevices: Bool = false, isJSON: Bool
  ) async throws(ServerFailure) -> String {
    let answer = try await CommandRequests(folder).ask(.status)
    let status = answer.flatMap { try? JSONParser.parse($0.text) }
    let statistics = try FolderStatistics(folder, app: appID, status: status)
    return isJSON ? JSONWriter.text(statistics.json) : statistics.text(withDevices: withDevices)
  }
}
#endif
