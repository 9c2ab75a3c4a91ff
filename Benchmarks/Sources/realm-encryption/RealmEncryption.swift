// SPDX-License-Identifier: Apache-2.0

// The command: the same work on a plain file and on an encrypted one, in turns.

import ArgumentParser
import BenchmarkCommands
import BenchmarkSuites
import Foundation

@main
struct RealmEncryption: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm-encryption",
    abstract: "Measures OpenRealm on an encrypted file beside a plain one.")

  @OptionGroup var options: RunOptions

  @Option(help: "The number of durable commits in a round.")
  var durable = 1000

  func run() throws {
    let report = try options.withFolder { folder in
      try EncryptionSuite(options.context(folder, durableCount: durable))
        .measure(rounds: options.rounds)
    }
    print(
      "\(options.rows) rows, \(durable) durable commits, median of \(options.rounds) rounds")
    options.print(report)
  }
}
