// SPDX-License-Identifier: Apache-2.0

// Servers with one database, whatever happens to them: nothing that was acknowledged is lost, and
// nothing is there twice.

#if Postgres
import Foundation
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

/// `OPENREALM_SEEDS` is the number of runs, `OPENREALM_SEED` the first seed. To repeat a failure:
/// `OPENREALM_SEED=<seed> OPENREALM_SEEDS=1`, with `OPENREALM_TRACE=1` for its events.
struct NodeSimulationTests {
  private static func environment(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
  }

  private static func seeds(_ usual: UInt64) -> Range<UInt64> {
    let first = environment("OPENREALM_SEED") ?? 1
    return first..<first + (environment("OPENREALM_SEEDS") ?? usual)
  }

  /// The even seeds are in flexible mode.
  private static func mode(of seed: UInt64) -> SyncMode {
    seed.isMultiple(of: 2) ? .flexible : .partition
  }

  /// The first invariant of the simulation.
  @Test(.heavy) func equalSeedsGiveEqualRuns() throws {
    for (seed, mode) in [(7, .partition), (8, .flexible)] as [(UInt64, SyncMode)] {
      var traces: [[String]] = []
      for _ in 0..<2 {
        let simulation = try NodeSimulation(seed: seed, mode: mode)
        var trace: [String] = []
        simulation.trace = { trace.append($0) }
        expectEqual(simulation.play(), [])
        traces.append(trace)
      }
      let difference = zip(traces[0], traces[1]).enumerated().first { $1.0 != $1.1 }
      expectTrue(difference == nil, "seed \(seed)")
      expectEqual(traces[0].count, traces[1].count, "seed \(seed)")
      expectTrue(traces[0].count > 500)
    }
  }

  @Test(
    .heavy, arguments: [SyncMode.partition, .flexible],
    [SimulationFlaw.ignoresEpochs, .keepsEpochs, .forgetsProgress])
  func aFlawOfTheDatabaseIsFound(_ mode: SyncMode, _ flaw: SimulationFlaw) throws {
    var isFound = false
    for seed in 1...60 as ClosedRange<UInt64> where !isFound {
      isFound = try !NodeSimulation(seed: seed, mode: mode, flaw: flaw).play().isEmpty
    }
    expectTrue(isFound)
  }

  /// Whatever happens, the rules of the database hold, and all have the same in the end.
  @Test(.heavy) func nodesLoseNothing() throws {
    let seeds = Self.seeds(150)
    var counts: [SimulationTrouble: Int] = [:]
    let start = ContinuousClock.now
    for seed in seeds {
      let simulation = try NodeSimulation(seed: seed, mode: Self.mode(of: seed))
      if Self.environment("OPENREALM_TRACE") != nil { simulation.trace = { print($0) } }
      let problems = simulation.play()
      counts.merge(simulation.counts) { $0 + $1 }
      guard !problems.isEmpty else { continue }
      Issue.record(
        """
        \(problems.prefix(8).joined(separator: "\n"))
        repeat with OPENREALM_SEED=\(seed) OPENREALM_SEEDS=1 \
        OPENREALM_PART=RealmServerPostgresTests swift test --filter NodeSimulationTests
        """)
    }
    if Self.environment("OPENREALM_COUNTS") != nil {
      print(counts.sorted { $0.key.rawValue < $1.key.rawValue })
      print("\(seeds.count) runs, \((ContinuousClock.now - start) / max(1, seeds.count)) each")
    }
    // Runs that leave out a kind of trouble would say nothing about it.
    guard seeds.count >= 150 else { return }
    expectEqual(SimulationTrouble.allCases.filter { counts[$0] == nil }, [])
  }
}
#endif
