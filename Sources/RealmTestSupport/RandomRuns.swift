// SPDX-License-Identifier: Apache-2.0

// The number of runs of random tests.

import Foundation

/// The seeds of random tests.
package enum RandomRuns {
  /// Whether all is played that tests have, as `.ci/run full` does: `OPENREALM_LONG_RUNS` is set.
  /// In a quick run it is a third.
  package static let areLong = ProcessInfo.processInfo.environment["OPENREALM_LONG_RUNS"] != nil

  /// A third of a number of runs, at least one, or all of them in a long run.
  package static func count(of all: Int) -> Int { areLong ? all : (all + 2) / 3 }

  /// Every third of some cases that resemble each other, or all of them in a long run.
  package static func some<Case>(of all: [Case]) -> [Case] {
    areLong ? all : stride(from: 0, to: all.count, by: 3).map { all[$0] }
  }

  /// The seeds of a long run, of which a quick run plays a third, or as many as
  /// `REALM_REPLAY_SEEDS` says, beginning with `REALM_REPLAY_SEED`.
  package static func seeds(_ all: Int) -> Range<UInt64> {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["REALM_REPLAY_SEEDS"].flatMap { UInt64($0) } ?? UInt64(count(of: all))
    let first = environment["REALM_REPLAY_SEED"].flatMap { UInt64($0) } ?? 0
    return first..<first + count
  }

  /// Prints how much a test has tried, if `OPENREALM_COUNTS` asks for it: the figures of
  /// `Documentation/Guarantees.md`.
  package static func report(
    _ count: Int, _ things: String, test: String = #function, file: String = #fileID
  ) {
    guard ProcessInfo.processInfo.environment["OPENREALM_COUNTS"] != nil else { return }
    let line = "tried \(count) \(things): \(file) \(test)\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }

  /// How many inputs a test damages in a quick run, times `REALM_DAMAGE_FACTOR`.
  package static func damagedInputs(_ usual: Int) -> Int {
    let factor = ProcessInfo.processInfo.environment["REALM_DAMAGE_FACTOR"].flatMap { Int($0) }
    return usual * max(1, factor ?? 1)
  }
}
