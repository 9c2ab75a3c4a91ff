// SPDX-License-Identifier: Apache-2.0

// The commands `realm-server users …`.

#if Server
import ArgumentParser

/// The commands about users.
struct UsersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "users", abstract: "Shows and changes what an app knows of its users.",
    subcommands: [
      CustomDataCommand.self, DisableCommand.self, EnableCommand.self, InviteCommand.self,
    ])
}
#endif
