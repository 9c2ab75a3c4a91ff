// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server backup` and `realm-server restore`.

#if Server
import ArgumentParser
import RealmFormats
import RealmServerKit

/// The command `realm-server backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copies all data of a server, which may run.",
    discussion: """
      The backup has everything that the server had acknowledged when the command began. It is \
      complete when it has its name; an interrupted one is NAME.unfinished, which the next one \
      removes. A server makes backups by itself if server.json in its folder says so: \
      {"backups":{"folder":"../backups","schedule":"0 3 * * *","keep":14}}

      Example: realm-server backup --dir ./data --to /backups/2026-05-04
      """)

  @Option(help: "The folder of the server.")
  var dir: String

  @Option(help: "The folder of the backup, which is made.")
  var to: String

  @OptionGroup var form: AnswerOptions

  func run() throws {
    try RulesCommand.run { () throws(ServerFailure) in try Self.answer(dir, to, isJSON: form.json) }
  }

  static func answer(
    _ folder: String, _ target: String, isJSON: Bool
  ) throws(ServerFailure) -> String {
    let report = try Backup.make(of: folder, to: target)
    guard !isJSON else { return JSONWriter.text(report.json) }
    var lines = [
      "\(report.path) has \(CountText.text(report.fileCount, "file")) "
        + "with \(ByteText.text(report.byteCount)), "
        + "\(CountText.text(report.realmCount, "realm")) among them, as of \(report.begin)"
    ]
    lines += report.importing.map { "The app \($0) is not in it: its import has not ended" }
    return lines.joined(separator: "\n")
  }
}

/// The command `realm-server restore`.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Puts a backup into the folder of a server that is stopped.",
    discussion: """
      The backup is checked before anything is changed. With --replace the data that the folder \
      has is moved to a folder replaced-… in it. What is interrupted can be done again.

      Example: realm-server restore --from /backups/2026-05-04 --dir ./data
      """)

  @Option(help: "The folder of the backup.")
  var from: String

  @Option(help: "The folder of the server; it is made if it is missing.")
  var dir: String

  @Flag(help: "Move the data that the folder has aside.")
  var replace = false

  @OptionGroup var form: AnswerOptions

  func run() throws {
    try RulesCommand.run { () throws(ServerFailure) in
      let report = try Restore.run(from: from, to: dir, replaces: replace)
      return form.json ? JSONWriter.text(report.json) : report.text
    }
  }
}
#endif
