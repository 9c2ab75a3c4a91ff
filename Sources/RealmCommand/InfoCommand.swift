// SPDX-License-Identifier: Apache-2.0

// The command `realm info`.

#if Tools
import ArgumentParser
import RealmTables
import RealmTools

/// The command `realm info`.
struct InfoCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Shows format, version, sizes, classes and readers of a file.",
    discussion: "Example: realm info todos.realm")

  @OptionGroup var file: FileOptions
  @OptionGroup var output: OutputOptions

  func work() throws -> ExitStatus {
    let report = try FileReport(path: file.file, key: file.encryption.key())
    try output.print(report.json) { text(report) }
    return .fine
  }

  private func text(_ report: FileReport) -> String {
    var lines: [(String, String)] = [
      ("File", report.path),
      ("Format", "\(report.format)"),
      ("Encrypted", report.isEncrypted ? "yes" : "no"),
      ("History", report.historyText),
      ("Version", "\(report.version)"),
    ]
    if let version = report.schemaVersion { lines.append(("Schema version", "\(version)")) }
    lines.append(("Size", Terminal.bytes(report.byteCount)))
    if let used = report.usedByteCount, let free = report.freeByteCount {
      lines.append(("Used", Terminal.bytes(used)))
      lines.append(("Free", Terminal.bytes(free)))
    }
    if let versions = report.liveVersions {
      let list = versions.map { "\($0)" }.joined(separator: ", ")
      lines.append(("Open elsewhere", list.isEmpty ? "yes" : "yes; versions in use: \(list)"))
      lines.append(("Pinned", Terminal.bytes(report.pinnedByteCount)))
      lines += report.holderLines.map { ("Version \($0.version)", $0.holder) }
    } else if report.isCurrentFormat {
      lines.append(("Open elsewhere", "no"))
    }
    let width = lines.map(\.0.count).max() ?? 0
    var text = lines.map { name, value in
      Terminal.strong(name) + String(repeating: " ", count: width - name.count + 2) + value
    }.joined(separator: "\n")
    text += "\n\n"
    if !report.isCurrentFormat {
      text +=
        report.isSynchronised
        ? "The file is in an older format, which commands that read do not mind; its app brings it "
          + "to the present one.\n'realm copy \(report.path) OUT' writes a local copy in the "
          + "present format.\n\n"
        : "The file is in an older format, which commands that read do not mind.\n'realm upgrade "
          + "\(report.path)' brings it to the present one; a copy of it is kept.\n\n"
    }
    return text
      + TextTable.text(
        ["Class", "Objects", "Properties", "Kind"],
        report.classes.map {
          [
            CellText.shortened($0.name, limit: 63), "\($0.count)", "\($0.propertyCount)",
            $0.kind == .topLevel ? "" : "\($0.kind)",
          ]
        })
  }
}
#endif
