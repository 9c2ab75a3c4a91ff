// SPDX-License-Identifier: Apache-2.0

// A file of an older format in the present one.

#if Tools
import ArgumentParser
import RealmFormats
import RealmTools

/// The command `realm upgrade`.
struct UpgradeCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Brings a file of an older format to the present one; a copy of it is kept.",
    discussion: "Example: realm upgrade old.realm")

  @OptionGroup var file: FileOptions
  @Flag(help: "Keep no copy of the file as it was.")
  var noBackup = false
  @OptionGroup var output: OutputOptions

  func work() throws -> ExitStatus {
    let format = try FileCopy.upgrade(file.file, key: file.encryption.key()) { format in
      noBackup ? nil : FileCopy.backupPath(of: file.file, format: format)
    }
    let copy = noBackup ? nil : format.map { FileCopy.backupPath(of: file.file, format: $0) }
    try output.print(
      ["upgraded": .bool(format != nil), "from": JSONValue(format), "backup": JSONValue(copy)]
    ) {
      guard let format else { return "\(file.file) is in the present format already.\n" }
      return "\(file.file) was in format \(format) and is in the present one now.\n"
        + (copy.map { "The file as it was is \($0).\n" } ?? "")
    }
    return .fine
  }
}
#endif
