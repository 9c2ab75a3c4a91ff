// SPDX-License-Identifier: Apache-2.0

// A table with a limit, beside a list in the order of ages.

import RealmServerEngine
import RealmTestSupport
import TestExtensions
import Testing

struct BoundedTableTests {
  /// `BoundedTable` 1 and 2
  @Test(arguments: RandomRuns.seeds(10)) func theOldestMakeRoom(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let countMax = 1 + random.number(below: 5)
    var table = BoundedTable<Int>(countMax: countMax)
    // The oldest first.
    var model: [(name: String, value: Int)] = []
    let names = ["a", "b", "c", "d", "e", "f", "g"]
    for step in 0..<2_000 {
      let name = random.pick(names)
      switch random.number(below: 10) {
      case 0...5:
        table.insert(name, step)
        if let index = model.firstIndex(where: { $0.name == name }) {
          model.remove(at: index)
        } else if model.count == countMax {
          model.removeFirst()
        }
        model.append((name, step))
      case 6...7:
        table.update(name, to: step)
        if let index = model.firstIndex(where: { $0.name == name }) { model[index].value = step }
      default:
        table.remove(name)
        model.removeAll { $0.name == name }
      }
      for name in names {
        expectEqual(table[name], model.first { $0.name == name }?.value, "seed \(seed): \(step)")
      }
      expectTrue(Self.insertionCount(table) <= 2 * countMax, "seed \(seed): \(step)")
    }
  }

  /// The number of the kept insertions, void ones included.
  private static func insertionCount(_ table: BoundedTable<Int>) -> Int {
    let insertions = Mirror(reflecting: table).children.first { $0.label == "insertions" }?.value
    return insertions.map { Mirror(reflecting: $0).children.count } ?? .max
  }
}
