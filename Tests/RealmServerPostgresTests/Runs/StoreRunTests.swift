// SPDX-License-Identifier: Apache-2.0

// Stores against a model, with connections that break. `OPENREALM_SEEDS` and `OPENREALM_SEED` make
// the runs more.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

struct StoreRunTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(.heavy, arguments: StoreKind.all)
  func storesDoWhatTheModelDoes(_ kind: StoreKind) async throws {
    let first = UInt64(Self.number("OPENREALM_SEED") ?? 1)
    let count = UInt64(
      Self.number("OPENREALM_SEEDS") ?? RandomRuns.count(of: kind == .simulated ? 20 : 4))
    for seed in first..<first + count {
      var run = try await StoreRun(kind, seed: seed)
      try await run.run(steps: 80)
    }
  }

  #if Postgres
  @Test(.heavy, arguments: [SimulationFlaw.forgetsRefusals, .keepsReciprocals])
  func aFlawOfTheDatabaseIsFound(_ flaw: SimulationFlaw) async throws {
    await #expect(throws: StoreRun.Difference.self) {
      for seed in 1...20 as ClosedRange<UInt64> {
        var run = try await StoreRun(.simulated, seed: seed, flaw: flaw)
        try await run.run(steps: 80)
      }
    }
  }
  #endif
}
