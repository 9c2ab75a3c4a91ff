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
    discussion: """
      One damaged node can make hundreds of others contradict each other, so ten findings of each \
      kind are printed; --all and --json print every one.

      Example: realm check todos.realm && echo whole
      """)

  @OptionGroup var file: FileOptions
  @Flag(help: "Print all findings.")
  var all = false
  @OptionGroup var output: OutputOptions

  func work() throws -> ExitStatus {
    let report = try IntegrityReport(path: file.file, key: file.encryption.key())
    try output.print(report.json) {
      var lines = report.findings(ofEachKind: all ? .max : 10).map { line in
        Terminal.colored(line.text, line.severity == .error ? .red : .yellow)
      }
      if report.findings.isEmpty {
        lines.append(
          Terminal.colored("whole", .green)
            + ": version \(report.version), \(TextTable.count(report.objectCount, "object"))")
      }
      if let checksums = report.checksumText { lines.append(checksums) }
      if let advice = report.advice { lines.append(advice) }
      return lines.joined(separator: "\n") + "\n"
    }
    return report.isDamaged ? .found : .fine
  }
}
#endif
