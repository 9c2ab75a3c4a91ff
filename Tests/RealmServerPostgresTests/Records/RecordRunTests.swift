// SPDX-License-Identifier: Apache-2.0

// Records of two servers against a model, with connections that break. `OPENREALM_SEEDS` and
// `OPENREALM_SEED` make the runs more.

#if Postgres
import Foundation
import RealmTestSupport
import TestExtensions
import Testing

struct RecordRunTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(.heavy, arguments: StoreKind.shared)
  func recordsAreWhatTheModelHas(_ kind: StoreKind) throws {
    let first = UInt64(Self.number("OPENREALM_SEED") ?? 1)
    let count = UInt64(
      Self.number("OPENREALM_SEEDS") ?? RandomRuns.count(of: kind == .simulated ? 20 : 4))
    for seed in first..<first + count {
      var run = try RecordRun(kind, seed: seed)
      try run.run(steps: 80)
    }
  }

  @Test(.heavy) func aDatabaseThatComparesNoVersionsIsFound() throws {
    #expect(throws: (any Error).self) {
      for seed in 1...20 as ClosedRange<UInt64> {
        var run = try RecordRun(.simulated, seed: seed, flaw: .ignoresVersions)
        try run.run(steps: 80)
      }
    }
  }
}
#endif
