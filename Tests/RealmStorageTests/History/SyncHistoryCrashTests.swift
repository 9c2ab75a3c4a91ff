// SPDX-License-Identifier: Apache-2.0

// What a crash leaves of a synchronised file: the version before or after, with its entries.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct SyncHistoryCrashTests {
  /// Records random groups of commits; the versions that may be found, oldest first.
  private func record(
    _ system: SimulatedFileSystem, groups: Int, _ random: inout SeededGenerator
  ) throws -> [SyncModel] {
    var model = SyncModel()
    let file = try system.openDatabase(history: .syncClient)
    var durable = [model]
    system.file.acknowledge(file.newestVersion)
    for _ in 0..<groups {
      var pending: PendingCommit?
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let write = try pending?.begin() ?? file.beginWrite()
        try model.change(write, using: &random)
        pending = try write.writeVersion(changeset: [1])
      }
      try pending?.makeDurable()
      durable.append(model)
      system.file.acknowledge(file.newestVersion)
    }
    return durable
  }

  /// `CommitWriter` 1, 2 and 3, `SyncHistory` 1.
  @Test(.heavy, arguments: RandomRuns.seeds(3))
  func everyCrashLeavesTheEntriesBeforeOrAfter(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let system = try SimulatedFileSystem()
    let durable = try record(system, groups: 14, &random)
    var messages: [String] = []
    let states = CrashStates(of: system.file.trace, initial: [])
    let count = try states.forEach(using: &random) { state in
      guard messages.count < 5 else { return }
      let file = try SimulatedFileSystem(contents: state.contents)
        .openDatabase(history: .syncClient)
      let snapshot = try file.snapshot()
      let known = durable.lastIndex { $0.version <= state.acknowledged } ?? 0
      guard
        let found = durable[known...].prefix(2).first(where: { $0.version == snapshot.version })
      else { return messages.append("\(state.name): version \(snapshot.version)") }
      if let difference = try found.difference(from: snapshot) {
        messages.append("\(state.name): \(difference)")
      }
      if try file.check() != [] { messages.append("\(state.name): \(try file.check())") }
      // Life goes on with the next version.
      let next = try file.beginWrite().commit(changeset: [])
      let history = try #require(try next.syncHistory())
      if history.version != found.version + 1 || history.base != found.base {
        messages.append("\(state.name): the next commit has another base")
      }
    }
    expectEqual(messages, [], "seed \(seed)")
    expectTrue(count > 200)
  }
}
