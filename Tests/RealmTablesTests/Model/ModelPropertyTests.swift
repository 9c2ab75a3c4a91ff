// SPDX-License-Identifier: Apache-2.0

// Random lives of a database against a model, and against a reader that is not ours.

import Foundation
import RealmStorage
import RealmTestSupport
import TestExtensions
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
    ProcessInfo.processInfo.environment["REALM_MODEL_STEPS"].flatMap { Int($0) } ?? 600

  /// `WritableTable` 1.
  @Test("hold what the model holds", .heavy, arguments: seeds)
  func run(seed: UInt64) throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("model.realm")
    let run = try ModelRun(seed: seed, path: path)
    try run.run(stepLimit: Self.stepLimit)
    print("model seed \(seed): \(run.stepCount) steps, \(run.commitCount) commits")
    RandomRuns.report(run.stepCount, "steps against a model")
    try run.newest().expectReferenceAgrees()
  }

  /// The comparison can fail: it reports each value, object and backlink that the model has
  /// otherwise, and nothing else.
  @Test("are compared in everything", .heavy)
  func aModelThatDiffersIsReported() throws {
    let directory = try TemporaryDirectory()
    let run = try ModelRun(seed: 7, path: directory.file("model.realm"))
    try run.run(stepLimit: 300)
    let newest = try run.newest()
    #expect(try run.model.differences(from: newest).isEmpty)
    var tried = 0
    for table in ModelTable.all {
      for (key, object) in run.model[table.name].prefix(3) {
        var model = run.model
        model.create(ObjectKey(key.rawValue + 1 << 50), in: table, primaryKey: .int(1 << 50))
        #expect(try !model.differences(from: newest).isEmpty, "\(table.name): one object more")
        for column in table.columns where column.collection == .none && column.type == .int {
          model = run.model
          let isZero = object.values[column.name] == .int(0)
          model.set(.int(isZero ? 1 : 0), column.name, key, table)
          #expect(try !model.differences(from: newest).isEmpty, "\(table.name).\(column.name)")
          tried += 1
        }
      }
    }
    expectTrue(tried > 0)
  }
}
