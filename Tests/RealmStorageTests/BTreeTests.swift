// SPDX-License-Identifier: Apache-2.0

// B+ trees against arrays, with enough elements for two levels and the edges of nodes.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct BTreeTests {
  private func elements(_ root: Ref, _ scratch: ScratchSpace) throws -> [Int64] {
    var found: [Int64] = []
    var leaves = try BTreeLeafCursor<IntegerLeaf>(root, in: scratch.space)
    while let (leaf, first, count) = try leaves.next() {
      expectEqual(first, found.count)
      for index in 0..<count {
        found.append(try IntegerLeaf.value(at: index, of: leaf, in: scratch.space))
      }
    }
    return found
  }

  /// `BTree` 2.
  @Test func appendingLeavesFullLeavesAndCompactNodes() throws {
    let scratch = try ScratchSpace()
    var root = try BTree<IntegerLeaf>.make(in: scratch.allocator)
    for value in 0..<4_500 {
      root = try BTree<IntegerLeaf>.append(Int64(value), to: root, scratch.allocator)
    }
    let node = try scratch.space.node(at: root)
    expectTrue(node.header.isInner)
    try expectEqual(node.taggedNumber(at: 0), 1000)
    expectEqual(node.count, 7)
    try expectEqual(node.taggedNumber(at: 6), 4_500)
    try expectEqual(elements(root, scratch), (0..<4_500).map(Int64.init))
  }

  /// A full inner node is divided when one of its leaves is: the tree is one level higher.
  @Test func aFullInnerNodeIsDivided() throws {
    let scratch = try ScratchSpace()
    let (count, header) = (
      BTreeLimits.entryCount, NodeHeader(flags: [], layout: .bits, widthCode: 0, count: 1000)
    )
    let leaves = try (0..<count).map { _ in
      try scratch.allocator.allocate(header, capacity: 0).ref.slot
    }
    var root = try IntegerNode.make(
      [Tagged.slot(count)] + leaves + [Tagged.slot(count * count)], flags: [.hasRefs, .inner],
      in: scratch.allocator
    ).ref
    root = try BTree<IntegerLeaf>.insert(0, at: 500, in: root, scratch.allocator)
    try expectEqual(BTree<IntegerLeaf>.count(root, in: scratch.space), count * count + 1)
    try BTree<IntegerLeaf>.validate(root, in: scratch.space)
    try expectEqual(BTreeInner(scratch.space.node(at: root), in: scratch.space).children.count, 2)
  }

  /// A leaf that a change moves is found at its new place.
  @Test func updatesAreFoundWhereTheLeafGoes() throws {
    let scratch = try ScratchSpace()
    var root = try BTree<IntegerLeaf>.make(in: scratch.allocator)
    for _ in 0..<2_500 { root = try BTree<IntegerLeaf>.append(0, to: root, scratch.allocator) }
    for (index, value) in [(0, 1), (1_700, 1 << 40), (1_701, 7), (2_499, -1)] as [(Int, Int64)] {
      root = try BTree<IntegerLeaf>.update(at: index, in: root, scratch.allocator) {
        (leaf, position) throws(StorageError) in
        try IntegerLeaf.set(value, at: position, in: leaf, scratch.allocator)
      }
      try expectEqual(BTree<IntegerLeaf>.value(at: index, of: root, in: scratch.space), value)
    }
  }

  @Test func aTreeInItselfIsNotValid() throws {
    let scratch = try ScratchSpace()
    let node = try IntegerNode.make(
      [Tagged.slot(1), 0, Tagged.slot(1)], flags: [.hasRefs, .inner], in: scratch.allocator)
    node.store(node.ref.slot, at: 1)
    #expect(throws: StorageError.corrupted("a B+ tree does not end")) {
      try BTree<IntegerLeaf>.validate(node.ref, in: scratch.space)
    }
  }

  @Test func aNodeHasNoChildWithoutElements() throws {
    let scratch = try ScratchSpace()
    let leaf = try IntegerNode.make([5], in: scratch.allocator).ref.slot
    for (second, total, isGood) in [(1, 2, true), (1, 1, false), (0, 1, false), (2, 1, false)] {
      let offsets = try IntegerNode.make([Int64(second)], in: scratch.allocator).ref.slot
      let node = try IntegerNode.make(
        [offsets, leaf, leaf, Tagged.slot(total)], flags: [.hasRefs, .inner],
        in: scratch.allocator
      ).node
      if isGood {
        try expectEqual(BTreeInner(node, in: scratch.space).total, total)
      } else {
        #expect(throws: StorageError.corrupted("a child of a B+ tree node is empty")) {
          try BTreeInner(node, in: scratch.space)
        }
      }
    }
  }

  /// Leaves of each width, one of them not full, and a tree without elements.
  @Test func allElementsAreReadAtOnce() throws {
    let scratch = try ScratchSpace()
    for factor in [1, 3, 90_000, 1 << 40] as [Int64] {
      var root = try BTree<IntegerLeaf>.make(in: scratch.allocator)
      var model: [Int64] = []
      for count in [0, 1, 15, 100, 999, 1_000, 1_001, 3_500] {
        while model.count < count {
          let value = Int64(model.count) * factor
          model.append(value)
          root = try BTree<IntegerLeaf>.append(value, to: root, scratch.allocator)
        }
        let all = try BTree<IntegerLeaf>.all(of: root, in: scratch.space, as: Int64.self)
        expectEqual(all, model, "\(count) elements, \(factor) apart")
      }
      for _ in 0..<700 {
        model.remove(at: 300)
        root = try BTree<IntegerLeaf>.remove(at: 300, from: root, scratch.allocator)
      }
      try expectEqual(BTree<IntegerLeaf>.all(of: root, in: scratch.space, as: Int64.self), model)
    }
  }

  @Test func aTreeThatCountsMoreElementsThanItHasIsRefused() throws {
    let scratch = try ScratchSpace()
    var root = try BTree<IntegerLeaf>.make(in: scratch.allocator)
    for value in 0..<1_500 {
      root = try BTree<IntegerLeaf>.append(Int64(value), to: root, scratch.allocator)
    }
    let node = try scratch.allocator.makeWritable(root)
    for claimed in [1_501, 1_499, 1, 1 << 50] {
      node.store(Tagged.slot(claimed), at: node.count - 1)
      #expect(throws: StorageError.self) {
        try BTree<IntegerLeaf>.all(of: node.ref, in: scratch.space, as: Int64.self)
      }
    }
  }

  /// `BTree` 1.
  @Test(.heavy) func aMillionAppendedElementsMakeThreeLevels() throws {
    let scratch = try ScratchSpace()
    var root = try BTree<IntegerLeaf>.make(in: scratch.allocator)
    for value in 0..<1_001_500 {
      root = try BTree<IntegerLeaf>.append(Int64(value), to: root, scratch.allocator)
    }
    try expectEqual(BTree<IntegerLeaf>.count(root, in: scratch.space), 1_001_500)
    for index in [0, 999, 1000, 999_999, 1_000_000, 1_001_499] {
      try expectEqual(
        BTree<IntegerLeaf>.value(at: index, of: root, in: scratch.space), Int64(index))
    }
    root = try BTree<IntegerLeaf>.insert(-1, at: 500_000, in: root, scratch.allocator)
    root = try BTree<IntegerLeaf>.remove(at: 1_000_500, from: root, scratch.allocator)
    try expectEqual(BTree<IntegerLeaf>.value(at: 500_000, of: root, in: scratch.space), -1)
    try expectEqual(BTree<IntegerLeaf>.value(at: 1_000_500, of: root, in: scratch.space), 1_000_500)
  }

  @Test(arguments: [71, 72, 73] as [UInt64])
  func editsMatchAnArray(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let scratch = try ScratchSpace()
    var model: [Int64] = []
    var root = try BTree<IntegerLeaf>.make(in: scratch.allocator)
    for round in 0..<40 {
      // Grow in the even rounds, shrink in the odd ones, in runs at one place and scattered.
      let place = model.isEmpty ? 0 : Int.random(in: 0...model.count, using: &random)
      for _ in 0..<Int.random(in: 100...900, using: &random) {
        let isScattered = round % 3 == 0
        if round % 4 < 3 || model.isEmpty {
          let index =
            round % 5 == 0
            ? model.count
            : isScattered ? .random(in: 0...model.count, using: &random) : min(place, model.count)
          let value = randomInteger(&random)
          model.insert(value, at: index)
          root = try BTree<IntegerLeaf>.insert(value, at: index, in: root, scratch.allocator)
        } else {
          let index =
            isScattered
            ? Int.random(in: 0..<model.count, using: &random) : min(place, model.count - 1)
          model.remove(at: index)
          root = try BTree<IntegerLeaf>.remove(at: index, from: root, scratch.allocator)
        }
      }
      if !model.isEmpty {
        let index = Int.random(in: 0..<model.count, using: &random)
        model[index] = 42
        root = try BTree<IntegerLeaf>.set(42, at: index, in: root, scratch.allocator)
        try expectEqual(BTree<IntegerLeaf>.value(at: index, of: root, in: scratch.space), 42)
      }
      try expectEqual(elements(root, scratch), model, "seed \(seed), round \(round)")
      try expectEqual(BTree<IntegerLeaf>.count(root, in: scratch.space), model.count)
    }
    while !model.isEmpty {
      let index = Int.random(in: 0..<model.count, using: &random)
      model.remove(at: index)
      root = try BTree<IntegerLeaf>.remove(at: index, from: root, scratch.allocator)
      if model.count % 500 == 0 { try expectEqual(elements(root, scratch), model) }
    }
    #expect(try !scratch.space.node(at: root).header.isInner)
  }

  @Test func aTreeThatRefersToItselfThrows() throws {
    let scratch = try ScratchSpace()
    let node = try IntegerNode.make(
      [Tagged.slot(1), 0, 0, Tagged.slot(2)], flags: [.hasRefs, .inner], in: scratch.allocator)
    node.store(node.ref.slot, at: 1)
    node.store(node.ref.slot, at: 2)
    #expect(throws: StorageError.self) {
      try BTree<IntegerLeaf>.value(at: 0, of: node.ref, in: scratch.space)
    }
    #expect(throws: StorageError.self) {
      var leaves = try BTreeLeafCursor<IntegerLeaf>(node.ref, in: scratch.space)
      while try leaves.next() != nil {}
    }
  }
}
