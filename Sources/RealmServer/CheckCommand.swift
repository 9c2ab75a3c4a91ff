// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server check` and `realm-server compact`.

#if Server
import ArgumentParser
import Foundation
import RealmFormats
import RealmServerKit

/// The command `realm-server check`.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Reads all files of a server or a backup, and says what is wrong.",
    discussion: """
      Nothing is changed. The exit code is 2 if something is wrong. A server may run, which makes \
      it slower meanwhile.

      Example: realm-server check --dir /backups/2026-05-04
      """)

  @Option(help: "The folder of the server, or a backup.")
  var dir: String

  @OptionGroup var form: AnswerOptions

  func run() throws {
    var isDamaged = false
    try RulesCommand.run { () throws(ServerFailure) in
      let check = try FolderCheck(dir)
      isDamaged = check.isDamaged
      return form.json ? JSONWriter.text(check.json) : check.text
    }
    if isDamaged { throw ExitCode(2) }
  }
}

/// The command `realm-server compact`.
struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Makes the files of a server smaller.",
    discussion: """
      A server may run: files that it has open stay as they are. Each file needs room for its \
      copy. An interruption leaves each file as it was, or smaller.

      Example: realm-server compact --dir ./data
      """)

  @Option(help: "The folder of the server.")
  var dir: String

  @Option(help: "The app; all if none is given.")
  var appId: String?

  @OptionGroup var form: AnswerOptions

  func run() throws {
    try RulesCommand.run { () throws(ServerFailure) in
      try Self.answer(dir, appId, isJSON: form.json)
    }
  }

  static func answer(
    _ folder: String, _ appID: String?, isJSON: Bool
  ) throws(ServerFailure) -> String {
    let compaction = try Compaction(folder, app: appID)
    return isJSON ? JSONWriter.text(compaction.json) : compaction.text
  }
}
#endif
