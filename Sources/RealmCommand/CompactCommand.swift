// SPDX-License-Identifier: Apache-2.0

// A file without free space.

#if Tools
import ArgumentParser
import RealmFormats
import RealmTools

/// The command `realm compact`.
struct CompactCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact",
    abstract: "Rewrites a file without free space; no process may have it open.",
    discussion: "Example: realm compact todos.realm")

  @OptionGroup var file: FileOptions
  @OptionGroup var output: OutputOptions

  func work() throws -> ExitStatus {
    let (before, after) = try FileCopy.compact(file.file, key: file.encryption.key())
    try output.print(
      ["before": .integer(Int64(before)), "after": .integer(Int64(after))]
    ) { "\(Terminal.bytes(before)) → \(Terminal.bytes(after))\n" }
    return .fine
  }
}
#endif
