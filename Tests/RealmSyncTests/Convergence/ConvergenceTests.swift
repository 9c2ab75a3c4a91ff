// SPDX-License-Identifier: Apache-2.0

// Whatever the order in which devices write and meet, they end with equal content (SY3, SY4).

import Foundation
import RealmTestSupport
import Testing

@Suite struct ConvergenceTests {
  /// The seeds of a quick run, or as many as `OPENREALM_SEEDS` says, from `OPENREALM_SEED` on.
  private static let seeds: Range<UInt64> = {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["OPENREALM_SEEDS"].flatMap { UInt64($0) } ?? 40
    let first = environment["OPENREALM_SEED"].flatMap { UInt64($0) } ?? 0
    return first..<first + count
  }()

  @Test func devicesThatMeetAreEqual() async throws {
    for seed in Self.seeds {
      var run = try ConvergenceRun(seed: seed)
      do {
        try await run.run(steps: 120)
      } catch {
        Issue.record(
          "\(error), repeat with OPENREALM_SEED=\(seed) OPENREALM_SEEDS=1; \(run.trace.suffix(8))")
      }
    }
  }
}
