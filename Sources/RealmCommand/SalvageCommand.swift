// SPDX-License-Identifier: Apache-2.0

// Saving the readable part of a damaged file.

#if Tools
import ArgumentParser
import RealmSalvage
import RealmTools

/// The command `realm salvage`.
struct SalvageCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Copies every object that can still be read to a new file.",
    discussion: """
      The damaged file is not changed. Where its roots are gone, as in a file that was cut, tables \
      are looked for among its bytes. Exit code 1 says that something was lost.

      Example: realm salvage damaged.realm saved.realm
      """)

  @OptionGroup var file: FileOptions
  @Argument(help: "The new file.", completion: .file())
  var target: String
  @OptionGroup var output: OutputOptions

  func work() throws -> ExitStatus {
    let progress = ProgressLine("saving")
    let report = try Salvage.run(
      file.file, key: file.encryption.key(), to: target, progress: progress.report)
    progress.clear()
    try output.print(report.json) { text(report) }
    return report.isWhole ? .fine : .found
  }

  private func text(_ report: SalvageReport) -> String {
    var text = TextTable.text(
      ["Class", "Saved", "Lost", "Values lost"],
      report.classes.map {
        [
          CellText.shortened($0.name, limit: 63), "\($0.saved)",
          $0.lostObjects.map { "\($0)" } ?? "unknown",
          "\($0.lostValues)",
        ]
      })
    for problem in report.problems { text += Terminal.colored(problem, .yellow) + "\n" }
    if report.isOlderVersion {
      text += "The newest version could not be opened; this is the one before it.\n"
    }
    if report.isFound {
      text +=
        "The roots of the file are gone; these objects were found among its bytes. They may be "
        + "older than the newest ones.\n"
    }
    return text + "\(TextTable.count(report.savedCount, "object")) saved to \(target)\n"
  }
}
#endif
