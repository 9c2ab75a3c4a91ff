// SPDX-License-Identifier: Apache-2.0

// The command: the queries of all engines in turns, and a table of ratios.

import ArgumentParser
import BenchmarkCommands
import BenchmarkSuites
import Foundation

extension QueryWorkload: ExpressibleByArgument {}

@main
struct RealmQueries: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-queries",
    abstract: "Measures queries of OpenRealm beside SQLite and GRDB.")

  @OptionGroup var options: RunOptions

  @Option(parsing: .upToNextOption, help: "Only these queries.")
  var only: [QueryWorkload] = []

  func run() throws {
    let report = try options.withFolder { folder in
      try QueriesSuite(options.context(folder, durableCount: 1), only: only)
        .measure(rounds: options.rounds)
    }
    print("\(options.rows) rows, median of \(options.rounds) rounds, ratios to SQLite")
    options.print(report)
  }
}
