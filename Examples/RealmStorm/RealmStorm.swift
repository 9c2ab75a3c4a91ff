// SPDX-License-Identifier: Apache-2.0

// Random devices, their server, and what may go wrong between them:
//
//   swift run --traits Server realm-storm --seconds 60 --seed 4

#if Server
import ArgumentParser

@main
struct RealmStorm: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-storm",
    abstract: "Random devices and a server in a storm: nothing acknowledged may be lost.",
    subcommands: [RunCommand.self, DeviceCommand.self], defaultSubcommand: RunCommand.self)
}
#else
@main
enum RealmStorm {
  static func main() {
    print("Start it with: swift run --traits Server realm-storm")
  }
}
#endif
