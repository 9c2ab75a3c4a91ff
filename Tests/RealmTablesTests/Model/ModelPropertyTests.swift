// SPDX-License-Identifier: Apache-2.0

// Random lives of a database against a model, and against a reader that is not ours.

import Foundation
import RealmStorage
import RealmTestSupport
import Testing

@testable import RealmTables

/// `REALM_MODEL_SEED` repeats one life, `REALM_MODEL_STEPS` makes each longer.
@Suite("Random lives of a database")
struct ModelPropertyTests {
  static let seeds: [UInt64] = {
    if let text = ProcessInfo.processInfo.environment["REALM_MODEL_SEED"], let seed = UInt64(text) {
      return [seed]
    }
    return [1, 2, .random(in: 3 ... .max)]
  }()

  static let stepLimit =
    ProcessInfo.processInfo.environment["REALM_MODEL_STEPS"].flatMap { Int($0) } ?? 1200

  @Test("hold what the model holds", arguments: seeds)
  func run(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("model.realm")
    let run = try ModelRun(seed: seed, path: path)
    try run.run(stepLimit: Self.stepLimit)
    print("model seed \(seed): \(run.stepCount) steps, \(run.commitCount) commits")
    try run.newest().expectReferenceAgrees()
  }
}
