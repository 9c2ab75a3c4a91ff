// SPDX-License-Identifier: Apache-2.0

// The options of a storm.

#if Server
import ArgumentParser

/// How long a storm is, and how much happens in it.
struct StormOptions: ParsableArguments {
  @Option(help: "The number from which the plan is drawn; a random one if it is missing.")
  var seed: UInt64?

  @Option(help: "The seconds in which devices write and things go wrong.")
  var seconds = 60

  @Option(help: "The devices, each a process of its own.")
  var devices = 4

  @Option(help: "The mode of sync: partition or flexible.")
  var mode = StormMode.flexible

  @Option(help: "The kills of the server and of devices.")
  var kills = 20

  @Option(help: "Kills of the server alone, besides those, spread over the whole time.")
  var serverKills = 0

  @Option(help: "The faults of the network: delays, cuts, half-closed and refused connections.")
  var faults = 40

  @Option(help: "The changes of rules and of custom data of users.")
  var ruleChanges = 12

  @Option(help: "The times at which the server's folder is replaced by an older backup.")
  var restores = 1

  @Option(help: "The jumps of clocks, of devices and of the server, by an hour to a year.")
  var clocks = 8

  @Option(
    help: """
      The servers that share a PostgreSQL database with a synchronous standby, behind a load \
      balancer; 0 for one server with realms in files. With them there are no restores of backups.
      """)
  var nodes = 0

  @Option(help: "With nodes: how connections are spread over them: random, or in turns.")
  var balance = BalanceKind.random

  @Option(help: "With nodes: the kills of the primary after which the standby is promoted.")
  var failovers = 3

  @Option(help: "With nodes: the kills of the primary or the standby, which come back as such.")
  var databaseRestarts = 1

  @Option(help: "With nodes: how often a node stops for longer than its lease, and goes on.")
  var pauses = 1

  @Option(
    help: "With nodes: partitions between nodes, the primary, the standby and the balancer.")
  var partitions = 4

  @Option(help: "With nodes: the times in which the primary or the standby is slow.")
  var slowdowns = 2

  @Option(help: "With nodes: how often all nodes are restarted, one after the other.")
  var upgrades = 1

  @Option(help: "The longest time to wait for devices that are to become equal, in seconds.")
  var patience = 180

  @Option(help: "The folder of all files. It is kept; without it, only after a failure.")
  var dir: String?

  @Flag(help: "Print the plan and end.")
  var plan = false

  @Option(
    help: """
      A fault at the end, so that the run fails: differs, stuck, lost, twice, or with nodes \
      asynchronous.
      """)
  var spoil: SpoilKind?

  mutating func validate() throws {
    guard (1...86_400).contains(seconds), (1...64).contains(devices), patience > 0 else {
      throw ValidationError(
        "--seconds takes 1 to 86400, --devices 1 to 64, --patience 1 at least.")
    }
    guard (0...8).contains(nodes) else { throw ValidationError("--nodes takes 0 to 8.") }
    guard spoil != .asynchronous || nodes > 0 else {
      throw ValidationError("--spoil asynchronous needs --nodes.")
    }
    let counts = [
      kills, serverKills, faults, ruleChanges, restores, clocks, failovers, databaseRestarts,
      pauses, partitions, slowdowns, upgrades,
    ]
    guard counts.allSatisfy({ (0...100_000).contains($0) }) else {
      throw ValidationError("Numbers of what goes wrong are 0 to 100000.")
    }
  }

  /// The command that makes the same plan again.
  func command(seed: UInt64) -> String {
    var words = ["realm-storm", "--seed \(seed)", "--mode \(mode.rawValue)"]
    var numbers = [
      ("seconds", seconds), ("devices", devices), ("kills", kills), ("server-kills", serverKills),
      ("faults", faults), ("rule-changes", ruleChanges), ("restores", restores),
      ("clocks", clocks),
    ]
    if nodes > 0 {
      words.append("--balance \(balance.rawValue)")
      numbers += [
        ("nodes", nodes), ("failovers", failovers), ("database-restarts", databaseRestarts),
        ("pauses", pauses), ("partitions", partitions), ("slowdowns", slowdowns),
        ("upgrades", upgrades),
      ]
    }
    for (name, number) in numbers { words.append("--\(name) \(number)") }
    if let spoil { words.append("--spoil \(spoil.rawValue)") }
    return words.joined(separator: " ")
  }
}
#endif
