// SPDX-License-Identifier: Apache-2.0

// Random lives of a database, replayed from what was recorded of them (SY2).

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

/// `REALM_MODEL_SEED` repeats one life, `REALM_MODEL_STEPS` makes each longer.
@Suite("Recorded writes")
struct RecordReplayTests {
  static let seeds: [UInt64] = {
    if let text = ProcessInfo.processInfo.environment["REALM_MODEL_SEED"], let seed = UInt64(text) {
      return [seed]
    }
    return [5, .random(in: 6 ... .max)]
  }()

  @Test("replayed give the same content", .heavy, arguments: seeds)
  func run(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let run = try ModelRun(
      seed: seed, path: directory.file("model.realm"), replicaPath: directory.file("replica.realm"))
    try run.run(stepLimit: ModelPropertyTests.stepLimit * 2 / 3)
    print("record seed \(seed): \(run.stepCount) steps, \(run.commitCount) commits")
  }
}
