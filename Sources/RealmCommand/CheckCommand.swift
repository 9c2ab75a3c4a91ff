// SPDX-License-Identifier: Apache-2.0

// Whether a file is whole.

#if Tools
import ArgumentParser
import RealmStorage
import RealmTools

/// The command `realm check`.
struct CheckCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks the integrity of a file; exit code 1 if it is damaged.",
    discussion: "Example: realm check todos.realm && echo whole")

  @OptionGroup var file: FileOptions
  @OptionGroup var output: OutputOptions

  func work() throws -> ExitStatus {
    let report = try IntegrityReport(path: file.file, key: file.encryption.key())
    try output.print(report.json) {
      var lines = report.findings.map {
        $0.severity == .error
          ? Terminal.colored("\($0)", .red) : Terminal.colored("\($0)", .yellow)
      }
      if report.findings.isEmpty {
        lines.append(
          Terminal.colored("whole", .green)
            + ": version \(report.version), \(report.objectCount) objects")
      }
      if let advice = report.advice { lines.append(advice) }
      return lines.joined(separator: "\n") + "\n"
    }
    return report.isDamaged ? .found : .fine
  }
}
#endif
