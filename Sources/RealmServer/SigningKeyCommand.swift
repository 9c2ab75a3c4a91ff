// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server signing-key …`: the key that proves the tokens of users.

#if Server
import ArgumentParser
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerKit
import RealmServerServices

/// The commands about the key of tokens.
struct SigningKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signing-key", abstract: "Shows and replaces the key of the tokens of users.",
    subcommands: [ListCommand.self, RotateCommand.self])

  /// The command `realm-server signing-key list`.
  struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Shows which keys are accepted, not the keys.")

    @Option(help: "The folder of the server, which may run.")
    var dir: String

    @OptionGroup var form: AnswerOptions

    func run() throws {
      try RulesCommand.run { () throws(ServerFailure) in
        try SigningKeyCommand.list(dir, isJSON: form.json)
      }
    }
  }

  /// The command `realm-server signing-key rotate`.
  struct RotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate", abstract: "Makes another key, without a restart of the server.",
      discussion: """
        Tokens of the earlier key are accepted until they are over: nobody is logged out. With \
        --end-logins they are not, for a key that others may know: all users log in again, and \
        anonymous users are lost.

        Example: realm-server signing-key rotate --dir ./data
        """)

    @Option(help: "The folder of the server, which may run.")
    var dir: String

    @Flag(help: "End all logins at once.")
    var endLogins = false

    @OptionGroup var form: AnswerOptions

    func run() async throws {
      try await RulesCommand.run { () async throws(ServerFailure) in
        try await SigningKeyCommand.rotate(
          dir, endsLogins: endLogins, isJSON: form.json)
      }
    }
  }

  static func list(_ folder: String, isJSON: Bool = false) throws(ServerFailure) -> String {
    let directory = try ServerDirectory(existing: folder)
    let path = folder + "/keys/tokens"
    let date = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate]
    guard let date = date as? Date else { throw ServerFailure("The folder has no key yet.") }
    let ends = directory.earlierKeyFiles().map { _, end in
      OperationTime.text(Date(timeIntervalSince1970: Double(end)))
    }
    let lines =
      ["the present key, made on \(OperationTime.text(date))"]
      + ends.map { "an earlier key, accepted until \($0)" }
    return CommandAnswer(
      lines.joined(separator: "\n"),
      [
        JSONMember("made", .string(OperationTime.text(date))),
        JSONMember(
          "earlier", .array(ends.map { .object([JSONMember("acceptedUntil", .string($0))]) })),
      ]
    ).text(asJSON: isJSON)
  }

  /// Replaces the key: by the server if one runs, which signs with the new one at once.
  static func rotate(
    _ folder: String, endsLogins: Bool, isJSON: Bool = false
  ) async throws(ServerFailure) -> String {
    let directory = try ServerDirectory(existing: folder)
    if let answer = try await CommandRequests(folder).ask(.rotateKey, endsLogins ? "end" : "") {
      guard answer.isDone else { throw ServerFailure(answer.text) }
      return rotation(answer.text, endsLogins).text(asJSON: isJSON)
    }
    let lock = try DirectoryLock(folder)
    defer { lock.release() }
    let text = try KeyRotation(directory, clock: .machine).rotate(endsLogins: endsLogins)
    return rotation(text, endsLogins).text(asJSON: isJSON)
  }

  private static func rotation(_ text: String, _ endsLogins: Bool) -> CommandAnswer {
    CommandAnswer(text, [JSONMember("endsLogins", .bool(endsLogins)), .notes(text)])
  }
}
#endif
