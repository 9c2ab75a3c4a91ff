// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct RadixSortTests {
  /// Items whose prefixes differ in some of their bits only.
  private func items(
    _ count: Int, prefixBits: UInt64, ranks: Int, _ random: inout SeededGenerator
  ) -> [SortItem] {
    (0..<count).map { position in
      SortItem(
        prefix: random.next() & prefixBits, position: UInt32(position),
        rank: UInt8(Int.random(in: 0..<ranks, using: &random)))
    }
  }

  private func precedes(_ left: SortItem, _ right: SortItem) -> Bool {
    left.isLevel(with: right) ? left.position < right.position : left.precedes(right)
  }

  @Test(arguments: [0, 0x3FF, 0xFF00_0000_0000_0000, 0x0000_0FFF_F000_0000, UInt64.max])
  func itAgreesWithAStableSort(prefixBits: UInt64) {
    var random = SeededGenerator(seed: prefixBits | 1)
    for (count, ranks) in [(0, 1), (1, 1), (100, 3), (4096, 1), (4097, 1), (9000, 1), (9000, 256)] {
      var sorted = items(count, prefixBits: prefixBits, ranks: ranks, &random)
      let expected = sorted.sorted(by: precedes).map(\.position)
      RadixSort.sort(&sorted)
      expectEqual(sorted.map(\.position), expected, "\(count) items of \(ranks) ranks")
    }
  }

  @Test(arguments: [1, 2, 3, 7, 100]) func theFirstItemsArePicked(limit: Int) {
    var random = SeededGenerator(seed: UInt64(limit))
    for bits in [0x7, UInt64.max] {
      let all = items(500, prefixBits: bits, ranks: 2, &random)
      var first = TopKHeap(limit: limit)
      for item in all { first.offer(item, precedes) }
      expectEqual(
        first.sorted(precedes).map(\.position),
        all.sorted(by: precedes).prefix(limit).map(\.position))
    }
  }
}
