// SPDX-License-Identifier: Apache-2.0

// The command `realm-server apply`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerKit

/// The command `realm-server apply`.
struct ApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Lets the server of a folder read app.json and schema.json of its apps again.",
    discussion: """
      Devices stay connected. Sessions whose users have other rights by the new files begin again. \
      An app with a mistake in one of its files goes on as before. A new folder in apps/ is served \
      from then on, and an app whose folder is gone is not: once the command has answered, the \
      server has none of its files open.
      """)

  @Option(help: "The folder of the server.")
  var dir: String

  @OptionGroup var form: AnswerOptions

  func run() async throws {
    try await RulesCommand.run { () async throws(ServerFailure) in
      try await Self.answer(dir, isJSON: form.json)
    }
  }

  static func answer(
    _ folder: String, isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let directory = try ServerDirectory(existing: folder)
    // A mistake is named also if no server runs.
    for app in try directory.allApps() { _ = try directory.schema(of: app.id) }
    guard let answer = try await CommandRequests(folder).ask(.apply) else {
      return Self.answer(
        "The files have no mistakes. No server runs in \(folder); the next one reads them.",
        isApplied: false
      ).text(asJSON: isJSON)
    }
    guard answer.isDone else { throw ServerFailure(answer.text) }
    return Self.answer(answer.text, isApplied: true).text(asJSON: isJSON)
  }

  private static func answer(_ text: String, isApplied: Bool) -> CommandAnswer {
    CommandAnswer(text, [JSONMember("applied", .bool(isApplied)), .notes(text)])
  }
}
#endif
