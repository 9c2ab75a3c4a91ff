// SPDX-License-Identifier: Apache-2.0

// The command that lets a storm happen.

#if Server
import ArgumentParser
import Foundation
import RealmTestSupport

/// The command `realm-storm run`, which is also `realm-storm`.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Lets a storm happen (the default).",
    discussion: """
      A server, and devices in processes of their own, which write at random. The plan of what \
      goes wrong comes from the seed: the same seed with the same options makes the same plan. \
      When things happen inside of the processes is not repeated.

      With --nodes, so many servers share a PostgreSQL primary with a synchronous standby, which \
      are started on the loopback address and are gone with the storm, behind a load balancer.

      The exit code is 0 if everything acknowledged is there at the end, and once, all devices \
      have what a new device gets from the server, and none is stuck. Writes that were \
      acknowledged after a backup that later replaced the server's folder are lost with it, and \
      not asked for.
      """)

  @OptionGroup var options: StormOptions

  func run() throws {
    let seed = options.seed ?? UInt64.random(in: 0...999_999)
    let plan = Plan(options, seed: seed)
    Terminal.line("seed \(seed)")
    Terminal.line("again: \(options.command(seed: seed))")
    if options.plan {
      for step in plan.steps { Terminal.line(step.description) }
      return
    }
    guard options.nodes == 0 || PostgresServer.programs != nil else {
      throw ValidationError("--nodes needs PostgreSQL (Debian and Ubuntu: postgresql, libpq5).")
    }
    // A connection that the other side has closed is an error of its write, not of the program.
    signal(SIGPIPE, SIG_IGN)
    guard try Storm(options, plan).run() else { throw ExitCode(1) }
  }
}
#endif
