// SPDX-License-Identifier: Apache-2.0

// The program realm-server: a server for apps with device sync.

#if Server
import ArgumentParser
import RealmInventory
import RealmStorage

/// The command `realm-server`.
@main
struct RealmServerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-server", abstract: "A server for apps with device sync.",
    version: ProgramVersion.text(of: "realm-server", LibraryVersion.text),
    subcommands: [
      ServeCommand.self, ApplyCommand.self, RulesCommand.self, SchemaCommand.self,
      UsersCommand.self, KeysCommand.self, TokenCommand.self, ImportCommand.self, AppsCommand.self,
      StatsCommand.self, BackupCommand.self, RestoreCommand.self, CheckCommand.self,
      CompactCommand.self, SigningKeyCommand.self, AdminCommand.self, TriggersCommand.self,
      MoveCommand.self,
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
enum RealmServerCommand {
  static func main() {
    var text = """
      realm-server was built without the trait "Server". Start it with: \
      swift run --traits Server realm-server serve --dir ./data

      """
    _ = text.withUTF8 { unsafe write(2, $0.baseAddress, $0.count) }
    exit(64)
  }
}
#endif
