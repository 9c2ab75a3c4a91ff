// SPDX-License-Identifier: Apache-2.0

// Sets of pages, and the entries of pages, at the ends of their words.

import TestExtensions
import Testing

@testable import RealmStorage

struct PageSetTests {
  /// Pages at both ends of a word of the set.
  @Test func pagesOfAllWordsAreKept() {
    let all = [0, 1, 62, 63, 64, 127, 128, 191, 500]
    var set = PageSet()
    expectTrue(set.isEmpty)
    for (index, page) in all.enumerated() {
      expectFalse(set.contains(page))
      for _ in 0..<3 {
        set.insert(page)
        expectEqual(set.count, index + 1)
      }
      expectFalse(set.isEmpty)
      expectEqual(set.masks.count, page / 64 + 1)
    }
    expectEqual(set.pages, all)
    for page in 0...600 { expectEqual(set.contains(page), all.contains(page), "\(page)") }
    expectEqual(set.mask(ofBlock: 7), 1 << 52)
    expectEqual(set.mask(ofBlock: 8), 0)
    set.remove(5)
    set.remove(700)
    set.remove(63)
    set.remove(63)
    expectEqual(set.count, all.count - 1)
    expectEqual(set.pages, all.filter { $0 != 63 })
    set.removeAll()
    expectTrue(set.isEmpty)
    expectEqual(set.pages, [])
  }

  @Test func runsOfBitsAreFound() {
    for (word, runs) in [
      (0b1, [0..<1]), (0b1101, [0..<1, 2..<4]), (1 << 63, [63..<64]), (.max << 1, [1..<64]),
      (.max >> 1, [0..<63]), (1 << 63 | 1, [0..<1, 63..<64]),
    ] as [(UInt64, [Range<Int>])] {
      expectEqual(word.runs, runs)
    }
  }

  private func code(_ number: UInt32) -> PageCode {
    PageCode(words: SIMD8(number, 2, 3, 4, 5, 6, 7, 0))
  }

  /// The counter of a page that was never written is no counter, and it goes on after the largest.
  @Test func entriesKnowTwoContents() {
    let (first, second) = (code(1), code(2))
    for (current, previous, ofFirst, ofSecond) in [
      (1, 1, 1, 1), (1, 0, 1, nil), (0, 1, nil, 1), (0, 0, nil, nil), (.max, 5, .max, 5),
    ] as [(UInt32, UInt32, UInt32?, UInt32?)] {
      let entry = PageEntry(
        current: PageStamp(counter: current, code: first),
        previous: PageStamp(counter: previous, code: second))
      expectEqual(entry.stamp(of: first)?.counter, ofFirst)
      expectEqual(entry.stamp(of: second)?.counter, ofSecond)
      expectTrue(entry.stamp(of: code(3)) == nil)
    }
    for (counter, next) in [(0, 1), (1, 2), (.max - 1, .max), (.max, 1)] as [(UInt32, UInt32)] {
      expectEqual(PageStamp(counter: counter, code: first).nextCounter, next)
    }
    for word in 0..<7 {
      var other = first
      other.words[word] ^= 1
      expectFalse(other == first)
    }
  }
}
