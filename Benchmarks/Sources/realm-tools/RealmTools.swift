// SPDX-License-Identifier: Apache-2.0

// The command: imports and exports of the program realm beside SQLite's own program.

import ArgumentParser
import BenchmarkCommands
import BenchmarkSuites
import Foundation

@main
struct RealmTools: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-tools",
    abstract: "Measures imports and exports of the program realm beside sqlite3.")

  @OptionGroup var options: RunOptions

  @Option(help: "The program realm, built with -c release.")
  var realm = "../.build/release/realm"

  static func main() {
    MeasuredProcess.launchIfAsked()
    main(nil)
  }

  func run() throws {
    let report = try options.withFolder { folder in
      try ToolsSuite(options.context(folder, durableCount: 1), realm: realm)
        .measure(rounds: options.rounds)
    }
    print("\(options.rows) rows, median of \(options.rounds) rounds, ratios to sqlite3")
    options.print(report)
  }
}
