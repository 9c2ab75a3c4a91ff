// SPDX-License-Identifier: Apache-2.0

// Random roles, users, objects and schedules: what devices have, and which writes survive.

import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine

@Suite(.serialized) struct RoleRunTests {
  /// To repeat a failure: `OPENREALM_SEED=<seed> OPENREALM_SEEDS=1`, with `OPENREALM_TRACE=1` to
  /// see its steps.
  @Test(.heavy, arguments: ConvergenceSeeds.seeds(12))
  func devicesHaveWhatTheModelSaysAndAllowedWritesSurvive(_ seed: UInt64) async throws {
    var run = try await RoleRun(seed: seed)
    try await run.play()
    try await run.settle()
    expectTrue(run.differences.isEmpty, "seed \(seed): \(run.differences.prefix(3))")
  }

  /// The first runs that show a mistake, where it is not the first of all. They save the time of
  /// those before them; runs that are drawn otherwise may show it later.
  private static let showing: [RoleModel.Fault: UInt64] = [
    .defaultRolesApplyToo: 9, .deleteIsIgnored: 15, .deletedLinksStay: 6, .insertIsIgnored: 4,
    .missingLinksAreNull: 4, .missingPropertiesAreUnequal: 16, .nestedFieldsAreIgnored: 6,
    .nestedFieldsAreSeen: 5, .otherFieldsAreSeen: 5, .readFilterIsIgnored: 4, .viewIsIgnored: 4,
    .writeDoesNotImplyRead: 4, .writeIsCheckedAfterAlone: 4, .writeIsCheckedBeforeAlone: 4,
  ]

  /// Each mistake would be seen.
  @Test(.heavy, arguments: RoleModel.Fault.allCases)
  func aFaultIsSeen(_ fault: RoleModel.Fault) async throws {
    let first = Self.showing[fault] ?? 1
    for seed in first..<first + 60 {
      var run = try await RoleRun(seed: seed, fault: fault)
      do {
        try await run.play()
      } catch is SessionRefusal {
        // The model expects another answer to a subscription.
        return
      }
      if !run.differences.isEmpty { return }
    }
    Issue.record("no run differs with \(fault)")
  }

  /// Runs are about something: each verdict is met often.
  @Test(.heavy) func allVerdictsAreMet() async throws {
    var verdicts: [RoleModel.Verdict: Int] = [:]
    for seed in 4...9 as ClosedRange<UInt64> {
      var run = try await RoleRun(seed: seed)
      try await run.play()
      verdicts.merge(run.verdicts, uniquingKeysWith: +)
    }
    for verdict in [RoleModel.Verdict.allowed, .refused, .isOutsideOfView] {
      expectTrue(verdicts[verdict, default: 0] > 20, "\(verdicts)")
    }
  }
}
