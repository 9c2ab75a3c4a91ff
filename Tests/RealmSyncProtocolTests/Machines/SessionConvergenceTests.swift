// SPDX-License-Identifier: Apache-2.0

// The sessions of clients and a server bring every change to everybody, whatever happens between.

import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

struct SessionConvergenceTests {
  private static func world(_ seed: UInt64) -> SessionWorld {
    let mode: SyncMode = seed % 3 == 0 ? .partition : .flexible
    var world = SessionWorld(
      seed: seed, mode: mode, number: seed % 2 == 0 ? 14 : 12,
      clients: 2 + Int(seed % 3))
    world.run(steps: 400)
    world.finish()
    return world
  }

  @Test(.heavy) func everyChangeReachesEverybodyOnce() {
    for seed in RandomRuns.seeds(200) {
      let world = Self.world(seed)
      let stored = world.realm.entries.filter { !$0.changeset.isEmpty }
      expectEqual(world.realm.problems, [], "seed \(seed)")
      for (index, peer) in world.peers.enumerated() {
        expectEqual(peer.problems + peer.file.problems, [], "seed \(seed), client \(index)")
        let mine = stored.filter { $0.file == peer.file.ident }.map(\.changeset)
        let written = peer.file.own.sorted { $0.key < $1.key }.map(\.value)
        expectEqual(mine, written, "seed \(seed), client \(index)")
        let others = stored.filter { $0.file != peer.file.ident }.map(\.changeset)
        expectEqual(peer.file.received, others, "seed \(seed), client \(index)")
        #expect(
          peer.file.sets.allSatisfy { $0.state == .complete }, "seed \(seed), client \(index)")
        expectTrue(peer.file.sets.count < 2, "seed \(seed), client \(index)")
        #expect(
          peer.waits.values.allSatisfy { $0 == 1 }, "seed \(seed), client \(index)")
      }
    }
  }

  /// SY8
  @Test func equalSchedulesGiveEqualEffects() {
    for seed in RandomRuns.seeds(10) {
      let (first, second) = (Self.world(seed), Self.world(seed))
      expectEqual(first.peers.map(\.log), second.peers.map(\.log), "seed \(seed)")
      expectEqual(first.peers.map(\.serverLog), second.peers.map(\.serverLog), "seed \(seed)")
    }
  }
}
