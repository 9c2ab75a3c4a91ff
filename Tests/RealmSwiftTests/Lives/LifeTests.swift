// SPDX-License-Identifier: Apache-2.0

// Random lives of a program: everything that the API offers for a file, in any order, against a
// plain model of it.
//
// Left out, with tests of their own: several processes (`TwoProcessTests`), crashes and failing
// calls (`CrashTests`, `FaultTests`), embedded objects and mixed values (`ModelPropertyTests`).

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

/// `REALM_LIFE_SEEDS` is the number of lives, `REALM_LIFE_SEED` the first one; `OPENREALM_TRACE`
/// prints their steps.
struct LifeTests {
  static let stepCount = 50

  static let seeds: Range<UInt64> = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["REALM_LIFE_SEED"].flatMap { UInt64($0) } ?? 0
    let count = environment["REALM_LIFE_SEEDS"].flatMap { UInt64($0) }
    return first..<first + (count ?? UInt64(RandomRuns.count(of: 18)))
  }()

  @Test(.heavy, arguments: seeds) func aFileIsWhatItsModelIs(seed: UInt64) async {
    let steps = LifeStep.life(seed, count: Self.stepCount)
    // The other reader takes as long as a life.
    let failure = await LifeRun.failure(of: steps, isReadByOthers: seed % 4 == 0)
    RandomRuns.report(steps.count, "steps of lives")
    guard let failure else { return }
    var shrinker = Shrinker(simpler: \LifeStep.shorter) { await LifeRun.failure(of: $0) != nil }
    let fewer = await shrinker.smallest(of: steps)
    let reason = await LifeRun.failure(of: fewer) ?? "passes at the last"
    let lines = fewer.map { "  \($0)" }.joined(separator: "\n")
    Issue.record("seed \(seed), \(failure)\nas \(fewer.count) steps:\n\(lines)\n\(reason)")
  }

  /// Lives have every kind of step, edit, transaction and subject.
  @Test func livesHaveEverything() {
    var names: Set<String> = []
    for seed in 0..<24 as Range<UInt64> {
      for step in LifeStep.life(seed, count: Self.stepCount) {
        names.insert(step.name)
        switch step {
        case .write(_, let way, let edits):
          names.insert("\(way)")
          for edit in edits { names.insert("edit \("\(edit)".prefix { $0 != "(" })") }
        case .observe(_, let subject): names.insert("of \("\(subject)".prefix { $0 != "(" })")
        case .migrate(let migration): names.insert("to \(migration.age)")
        default: break
        }
      }
    }
    // 17 steps, 11 ways, 21 edits, 10 subjects and 3 ages.
    expectEqual(names.count, 62, "\(names.sorted())")
  }

  /// Lives change items that others lead to over as many links as observers look, and not over
  /// fewer.
  @Test func livesChangeWhatIsFarAway() {
    var farCount = 0
    for seed in 0..<24 as Range<UInt64> {
      var version = LifeVersion()
      for holder in 0..<LifeEdit.holderCount { version.apply(.addHolder(holder), in: .first) }
      for case .write(_, let way, let edits) in LifeStep.life(seed, count: Self.stepCount)
      where !way.isUndone {
        version = version.begun()
        for edit in edits { version.apply(edit, in: .first) }
        let (touched, state) = (version.touched, version.state)
        func isReached(_ id: Int, _ links: Int) -> Bool {
          LifeSubject.isReached(.item(id), touched, state, links: links)
        }
        let count = LifeSubject.linkCount
        if state.items.keys.contains(where: { isReached($0, count) && !isReached($0, count - 1) }) {
          farCount += 1
        }
      }
    }
    expectTrue(farCount > 48, "\(farCount)")
  }

  /// A model that differs in anything is noticed.
  @Test func differencesAreFound() {
    var state = LifeState()
    state.items[1] = LifeState.Item(name: "n", level: 1, load: 2, kind: 1, holder: 0)
    state.holders[0] = LifeState.Holder()
    state.notes[0] = .some(1)
    var others: [LifeState] = []
    func add(_ change: (inout LifeState) -> Void) {
      var other = state
      change(&other)
      others.append(other)
    }
    add { $0.items[1]?.name = nil }
    add { $0.items[1]?.level = 2 }
    add { $0.items[1]?.load = 3 }
    add { $0.items[1]?.holder = nil }
    add { $0.items[2] = $0.items[1] }
    add { $0.holders[0]?.marks["k"] = 1 }
    add { $0.notes[0] = .some(nil) }
    for other in others {
      expectTrue(other != state)
      expectTrue(!other.differences(from: state).isEmpty)
    }
  }

  @Test func failuresAreMadeShorter() async {
    // Fails with a 3 before a 5, if the 3 is not alone.
    func isRed(_ steps: [Int]) -> Bool {
      guard let three = steps.firstIndex(where: { $0 % 10 == 3 }) else { return false }
      return steps.count > 2 && steps[three...].contains(5)
    }
    var runs = 0
    var shrinker = Shrinker(simpler: { (step: Int) in step > 10 ? [step % 10] : [] }) { steps in
      runs += 1
      return isRed(steps)
    }
    let steps = Array(0..<3) + [43] + Array(6..<40) + [5] + Array(50..<60)
    let fewer = await shrinker.smallest(of: steps)
    expectEqual(fewer.count, 3)
    expectTrue(isRed(fewer))
    expectTrue(fewer.allSatisfy { $0 <= 10 }, "\(fewer)")
    expectTrue(runs < 200, "\(runs)")
  }
}
