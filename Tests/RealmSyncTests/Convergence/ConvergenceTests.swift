// SPDX-License-Identifier: Apache-2.0

// Whatever happens on the way, devices and server end with equal content, and nothing that was
// acknowledged is lost (SY3, SY4).

import Foundation
import RealmSyncProtocol
import RealmSyncTestSupport
import TestExtensions
import Testing

/// `OPENREALM_SEEDS` is the number of runs in each mode, `OPENREALM_SEED` the first seed. To repeat
/// a failure: `OPENREALM_SEED=<seed> OPENREALM_SEEDS=1`, with `OPENREALM_TRACE=1` for its steps.
struct ConvergenceTests {
  private static func environment(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }

  private static func seeds(_ usual: UInt64) -> Range<UInt64> {
    let first = environment("OPENREALM_SEED") ?? 1
    return first..<first + (environment("OPENREALM_SEEDS") ?? usual)
  }

  private static func run(
    _ mode: SyncMode, _ seeds: Range<UInt64>, inTurns: Bool = false, isRestored: Bool = false
  ) async throws {
    var met: Set<SimulatedDevice.EffectKind> = []
    var counts = RunCounts()
    for seed in seeds {
      var run = try await ConvergenceRun(seed: seed, mode: mode, isRestored: isRestored)
      if environment("OPENREALM_TRACE") != nil { run.network.trace = { print($0) } }
      var problems: [String]
      do {
        if inTurns {
          try await run.playInTurns()
        } else if isRestored {
          try await run.playRestored()
        } else {
          try await run.play()
        }
        problems = try await run.finish()
      } catch {
        problems = ["\(error)"] + run.network.problems
      }
      met.formUnion(run.network.metEffects)
      counts += run.counts
      guard !problems.isEmpty else { continue }
      Issue.record(
        """
        \(problems.prefix(8).joined(separator: "\n"))
        repeat with OPENREALM_SEED=\(seed) OPENREALM_SEEDS=1 \
        swift test --filter ConvergenceTests
        """)
    }
    if environment("OPENREALM_COUNTS") != nil { print(mode, "\(seeds.count) runs", counts.text) }
    // Runs that leave out a part of the driver, or a kind of trouble, would say nothing about it.
    guard seeds.count >= 60, !inTurns, !isRestored else { return }
    expectTrue(met.symmetricDifference(SimulatedDevice.EffectKind.allCases).isEmpty)
    expectEqual(counts.missing(isLong: seeds.count >= 500), [])
  }

  /// `SyncNetwork` 1
  @Test(.heavy, arguments: [SyncMode.partition, .flexible])
  func equalSeedsGiveEqualRuns(_ mode: SyncMode) async throws {
    var traces: [[String]] = []
    for _ in 0..<2 {
      var run = try await ConvergenceRun(seed: 7, mode: mode)
      var trace: [String] = []
      run.network.trace = { trace.append($0) }
      try await run.play(steps: 120)
      try await expectEqual(run.finish(), [])
      traces.append(trace)
    }
    expectEqual(traces[0], traces[1])
    expectTrue(traces[0].count > 120)
  }

  /// `SyncNetwork` 2: a message in another order would break the protocol, which is a problem of a
  /// run.
  @Test(.heavy) func partition() async throws {
    try await Self.run(.partition, Self.seeds(60))
  }

  /// A file that is used by one program, then by another, with commits of both that wait.
  @Test(.heavy, arguments: [SyncMode.partition, .flexible])
  func programsThatUseAFileInTurn(_ mode: SyncMode) async throws {
    try await Self.run(mode, Self.seeds(12), inTurns: true)
  }

  /// Devices that write to the same few objects offline, and come back to a restored server.
  @Test(.heavy) func devicesThatComeBackToARestoredServer() async throws {
    try await Self.run(.flexible, Self.seeds(8), isRestored: true)
  }

  /// `SyncNetwork` 2
  @Test(.heavy) func flexible() async throws {
    try await Self.run(.flexible, Self.seeds(60))
  }
}
