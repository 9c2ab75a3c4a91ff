// SPDX-License-Identifier: Apache-2.0

// The command `realm-server apply`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerEngine
import RealmServerKit
import RealmServerServices

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
    // The server has a word about each app: one with a mistake holds up no other.
    guard let answer = try await CommandRequests(folder).ask(.apply) else {
      try checkAll(directory)
      return Self.answer(
        "The files have no mistakes. No server runs in \(folder); the next one reads them.",
        isApplied: false
      ).text(asJSON: isJSON)
    }
    guard answer.isDone else { throw ServerFailure(answer.text) }
    return Self.answer(answer.text, isApplied: true).text(asJSON: isJSON)
  }

  /// Names the mistakes of all apps, where no server does.
  private static func checkAll(_ directory: ServerDirectory) throws(ServerFailure) {
    var mistakes: [String] = []
    do throws(ServerFailure) { _ = try directory.serverFile() } catch {
      mistakes.append("\(error)")
    }
    for folder in try directory.appFolders() {
      do throws(ServerFailure) {
        _ = try directory.app(folder)
        _ = try directory.schema(of: folder)
      } catch {
        mistakes.append("\(error)")
      }
    }
    guard mistakes.isEmpty else {
      throw ServerFailure(mistakes.joined(separator: "\n"))
    }
  }

  private static func answer(_ text: String, isApplied: Bool) -> CommandAnswer {
    CommandAnswer(text, [JSONMember("applied", .bool(isApplied)), .notes(text)])
  }
}
#endif
