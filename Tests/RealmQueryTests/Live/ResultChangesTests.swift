// SPDX-License-Identifier: Apache-2.0

import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct ResultChangesTests {
  /// Deletes, inserts new numbers and marks what was modified.
  private static func step(
    _ old: [Int], _ random: inout SeededGenerator, _ next: inout Int
  ) -> (ResultChanges, [Int]) {
    var changes = ResultChanges()
    var kept: [Int] = []
    for (index, element) in old.enumerated() {
      if random.chance(0.2) {
        changes.deletions.append(index)
      } else {
        if random.chance(0.2) { changes.modifications.append(index) }
        kept.append(element)
      }
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      next += 1
      kept.insert(next, at: Int.random(in: 0...kept.count, using: &random))
    }
    changes.insertions = kept.indices.filter { !old.contains(kept[$0]) }
    return (changes, kept)
  }

  /// The elements of the old state that a change names.
  private static func elements(_ indexes: [Int], of state: [Int]) -> Set<Int> {
    Set(indexes.map { state[$0] })
  }

  /// `ResultChanges` 1.
  @Test func joinedChangesDoWhatBothDo() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<400 {
      var next = 100
      let old = Array(0..<Int.random(in: 0...10, using: &random))
      let (first, middle) = Self.step(old, &random, &next)
      let (second, new) = Self.step(middle, &random, &next)
      let joined = first.followed(by: second)
      expectEqual(Self.elements(joined.deletions, of: old), Set(old).subtracting(new))
      expectEqual(Self.elements(joined.insertions, of: new), Set(new).subtracting(old))
      let modified = Self.elements(first.modifications, of: old)
        .union(Self.elements(second.modifications, of: middle))
      expectEqual(
        Self.elements(joined.modifications, of: old),
        modified.intersection(old).intersection(new))
      for indexes in [joined.deletions, joined.insertions, joined.modifications] {
        expectEqual(indexes, Set(indexes).sorted())
      }
    }
  }
}
