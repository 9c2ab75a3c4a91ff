// SPDX-License-Identifier: Apache-2.0

// The program realm: the tools of a database on the command line.

#if Tools
import ArgumentParser
import RealmInventory
import RealmStorage

/// The command `realm`.
@main
struct RealmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm",
    abstract: "Looks into Realm files, and moves data into and out of them.",
    discussion: """
      Commands that read change nothing: they create no file and upgrade none.

      Exit codes: 0 fine, 1 damage or differences found, 64 the command line is at fault, \
      65 a file's contents are, 66 a file is missing, 69 something is not installed, \
      73 a file exists already or cannot be made, 74 reading or writing failed, \
      75 another process keeps the file busy.
      """,
    version: ProgramVersion.text(of: "realm", LibraryVersion.text),
    subcommands: [
      InfoCommand.self, SchemaCommand.self, QueryCommand.self, CheckCommand.self,
      ExportCommand.self, ImportCommand.self, DiffCommand.self, CopyCommand.self,
      CompactCommand.self, RewriteCommand.self, UpgradeCommand.self, SalvageCommand.self,
      GenerateCommand.self, WatchCommand.self, ShellCommand.self, StudioCommand.self,
      ManualCommand.self,
    ])
}
#else
#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The program in a build without its packages.
@main
enum RealmCommand {
  static func main() {
    var text = """
      realm was built without the trait "Tools". Start it with: \
      swift run --traits Tools realm info FILE

      """
    _ = text.withUTF8 { unsafe write(2, $0.baseAddress, $0.count) }
    exit(64)
  }
}
#endif
