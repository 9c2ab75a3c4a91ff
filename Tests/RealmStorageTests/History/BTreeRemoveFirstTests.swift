// SPDX-License-Identifier: Apache-2.0

// Removing the beginning of B+ trees, against arrays.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct BTreeRemoveFirstTests {
  /// `BTree` 1 and 2.
  @Test(arguments: [1, 2, 999, 1000, 1001, 2500, 6000])
  func whatIsLeftIsAsItWas(_ count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    for round in 0..<6 {
      let scratch = try ScratchSpace()
      var root = try BTree<IntegerLeaf>.make(in: scratch.allocator)
      var numbers: [Int64] = []
      for number in 0..<count {
        // Some trees have nodes that are not compact.
        let index = round < 3 ? number : Int.random(in: 0...number, using: &random)
        numbers.insert(Int64(number), at: index)
        root = try BTree<IntegerLeaf>.insert(Int64(number), at: index, in: root, scratch.allocator)
      }
      while !numbers.isEmpty {
        let edges = [0, 1, numbers.count, min(numbers.count, 1000), min(numbers.count, 1001)]
        let removed =
          random.chance(0.3)
          ? edges[Int.random(in: 0..<5, using: &random)]
          : Int.random(in: 0...numbers.count, using: &random)
        numbers.removeFirst(removed)
        root = try BTree<IntegerLeaf>.removeFirst(removed, from: root, scratch.allocator)
        try BTree<IntegerLeaf>.validate(root, in: scratch.space)
        var found: [Int64] = []
        var leaves = try BTreeLeafCursor<IntegerLeaf>(root, in: scratch.space)
        while let (leaf, _, count) = try leaves.next() {
          for index in 0..<count {
            found.append(try IntegerLeaf.value(at: index, of: leaf, in: scratch.space))
          }
        }
        expectEqual(found, numbers)
        numbers.append(7)
        root = try BTree<IntegerLeaf>.append(7, to: root, scratch.allocator)
        if numbers.count == 1 { break }
      }
    }
  }

  @Test func moreThanThereIsCannotBeRemoved() throws {
    let scratch = try ScratchSpace()
    let root = try BTree<IntegerLeaf>.make(in: scratch.allocator)
    for count in [-1, 1] {
      #expect(throws: StorageError.self) {
        try BTree<IntegerLeaf>.removeFirst(count, from: root, scratch.allocator)
      }
    }
  }
}
