// SPDX-License-Identifier: Apache-2.0

// B+ trees as deep, as full and as large as they may be, and one more.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct TreeLimitTests {
  private typealias Tree = BTree<IntegerLeaf>
  private static let endless = StorageError.corrupted("a B+ tree does not end")
  private static let miscounts = StorageError.corrupted(
    "the leaves of a B+ tree have more or fewer elements than it counts")
  private let scratch: ScratchSpace
  private var allocator: NodeAllocator { scratch.allocator }
  private var space: NodeSpace { scratch.space }

  init() throws { scratch = try ScratchSpace() }

  /// A compact inner node.
  private func inner(_ children: [Ref], of perChild: Int, total: Int) throws -> Ref {
    try IntegerNode.make(
      [Tagged.slot(perChild)] + children.map(\.slot) + [Tagged.slot(total)],
      flags: [.hasRefs, .inner], in: allocator
    ).ref
  }

  /// A leaf of zeros, which needs no bytes.
  private func zeros(_ count: Int) throws -> Ref {
    try allocator.allocate(
      NodeHeader(flags: [], layout: .bits, widthCode: 0, count: count), capacity: 0
    ).ref
  }

  /// A tree of inner nodes with one child each, and a leaf of two elements.
  private func chain(_ depth: Int) throws -> Ref {
    var ref = try IntegerNode.make([3, 4], in: allocator).ref
    for _ in 0..<depth { ref = try inner([ref], of: 2, total: 2) }
    return ref
  }

  /// Runs `body` with trees of the depth that is good, and of one more.
  private func expectDepth(_ good: Int, _ name: String, _ body: (Ref) throws -> Void) throws {
    let deep = try chain(good)
    #expect(throws: Never.self, "\(name)") { try body(deep) }
    let deeper = try chain(good + 1)
    #expect(throws: Self.endless, "\(name)") { try body(deeper) }
  }

  /// `BTree` 1: all walks end at one depth.
  @Test func treesHaveADepth() throws {
    let most = BTreeLimits.maximumDepth
    try expectDepth(most - 1, "value") { _ = try Tree.value(at: 1, of: $0, in: space) }
    try expectDepth(most, "set") { _ = try Tree.set(9, at: 1, in: $0, allocator) }
    try expectDepth(most, "update") {
      _ = try Tree.update(at: 1, in: $0, allocator) { (leaf, _) throws(StorageError) in leaf }
    }
    try expectDepth(most - 1, "insert") { _ = try Tree.insert(9, at: 1, in: $0, allocator) }
    try expectDepth(most - 1, "remove") { _ = try Tree.remove(at: 1, from: $0, allocator) }
    try expectDepth(most - 1, "removeFirst") { _ = try Tree.removeFirst(1, from: $0, allocator) }
    try expectDepth(most - 1, "validate") { try Tree.validate($0, in: space) }
  }

  /// A file has so many elements at most that each of its words may be a leaf.
  @Test func treesHaveNoMoreElementsThanTheirSpace() throws {
    let most = space.elementCountMax(below: Ref(space.slabStart))
    let leaf = try zeros(5)
    try expectEqual(Tree.count(try inner([leaf], of: 1, total: most), in: space), most)
    for wrong in [most + 1, -1] {
      let root = try inner([leaf], of: 1, total: wrong)
      #expect(throws: StorageError.self) { try Tree.count(root, in: space) }
    }
    try expectEqual(Tree.count(try inner([leaf], of: 1, total: 0), in: space), 0)
  }

  /// A node says of how many elements each of its children is, and that is some.
  @Test func innerNodesWithoutNumbersAreRefused() throws {
    let leaf = try zeros(2)
    let nothing = try inner([leaf, leaf], of: 0, total: 4)
    #expect(throws: StorageError.corrupted("an inner node of a B+ tree is malformed")) {
      try Tree.value(at: 0, of: nothing, in: space)
    }
    let empty = try IntegerNode.make(
      [Tagged.slot(2), Tagged.slot(2)], flags: [.hasRefs, .inner], in: allocator)
    #expect(throws: StorageError.self) { try BTreeInner.childCount(of: empty.node) }
    let one = try inner([leaf], of: 2, total: 2)
    try expectEqual(BTreeInner.childCount(of: space.node(at: one)), 1)
  }

  /// An offset has 43 bits.
  @Test func offsetsHaveALimit() throws {
    let limit = Int64(Int32.max) * 4096
    let leaf = try zeros(2)
    for (offset, isGood) in [(limit - 1, true), (limit, false)] {
      let offsets = try IntegerNode.make([offset], in: allocator).ref
      let root = try IntegerNode.make(
        [offsets.slot, leaf.slot, leaf.slot, Tagged.slot(Int(limit) + 2)],
        flags: [.hasRefs, .inner], in: allocator)
      if isGood {
        try expectEqual(BTreeInner(root.node, in: space).starts, [0, Int(offset)])
      } else {
        #expect(throws: StorageError.self) { try BTreeInner(root.node, in: space) }
      }
    }
  }

  // MARK: Full nodes

  /// `BTree` 2: what is appended to a full inner node is beside it, and both are compact.
  @Test func aFullInnerNodeGetsANeighbour() throws {
    let count = BTreeLimits.entryCount
    var root = try inner(
      try (0..<count).map { _ in try zeros(count) }, of: count, total: count * count)
    try Tree.validate(root, in: space)
    root = try Tree.append(7, to: root, allocator)
    try Tree.validate(root, in: space)
    let top = try BTreeInner(space.node(at: root), in: space)
    expectEqual(top.children.count, 2)
    expectEqual(top.elementsPerChild, count * count)
    let first = try space.node(at: top.children[0])
    try expectEqual(first.taggedNumber(at: 0), count)
    try expectEqual(BTreeInner.childCount(of: first), count)
    try expectEqual(Tree.value(at: count * count, of: root, in: space), 7)
  }

  /// A node has up to a thousand children, and a leaf up to a thousand elements.
  @Test func longerNodesAreNotValid() throws {
    let most = BTreeLimits.entryCount
    for (children, elements, isGood) in [
      (most, 1, true), (most + 1, 1, false), (2, most, true), (2, most + 1, false), (2, 0, false),
    ] {
      let leaves = try (0..<children).map { _ in try zeros(elements) }
      let root = try inner(leaves, of: max(elements, 1), total: children * max(elements, 1))
      if isGood {
        try Tree.validate(root, in: space)
      } else {
        let error = #expect(throws: StorageError.self) { try Tree.validate(root, in: space) }
        if elements == 0 { expectEqual(error, .corrupted("a leaf of a B+ tree has 0 elements")) }
      }
    }
  }

  /// A change of one element in a leaf leaves its inner nodes where they are.
  /// `BTree` 2.
  @Test func innerNodesAreChangedWhereTheyAre() throws {
    var root = try inner(
      [try zeros(1000), try zeros(999)], of: 1000, total: 1999)
    // The last leaf becomes full.
    try expectEqual(Tree.append(1, to: root, allocator), root)
    try expectEqual(Tree.count(root, in: space), 2000)
    try expectEqual(space.node(at: root).taggedNumber(at: 0), 1000)
    // One that is not compact.
    root = try Tree.remove(at: 5, from: root, allocator)
    try expectEqual(Tree.insert(2, at: 5, in: root, allocator), root)
    try expectEqual(Tree.remove(at: 5, from: root, allocator), root)
    try expectEqual(Tree.set(3, at: 1500, in: root, allocator), root)
    try expectEqual(Tree.value(at: 1500, of: root, in: space), 3)
    try Tree.validate(root, in: space)
    try expectEqual(Tree.count(root, in: space), 1999)
  }

  /// Children that together have less than three quarters of a node become one, if one of them has
  /// less than half.
  @Test(arguments: [
    (500, 249, 1), (501, 100, 2), (500, 250, 1), (500, 251, 2), (400, 350, 1), (400, 351, 2),
    (300, 900, 2),
  ]) func smallNeighboursBecomeOne(left: Int, right: Int, leaves: Int) throws {
    var root = try inner(
      [try zeros(left), try zeros(right), try zeros(900)], of: left, total: left + right + 900)
    let offsets = try IntegerNode.make([Int64(left), Int64(left + right)], in: allocator).ref
    root = try IntegerNode.set(offsets.slot, at: 0, in: root, allocator)
    root = try Tree.remove(at: 0, from: root, allocator)
    try Tree.validate(root, in: space)
    try expectEqual(Tree.count(root, in: space), left + right + 899)
    try expectEqual(BTreeInner(space.node(at: root), in: space).children.count, leaves + 1)
  }

  /// The last child goes with its last element, and the others stay compact.
  @Test func compactNodesStayCompact() throws {
    for (index, isCompact) in [(2000, true), (0, false)] {
      let sizes = index == 0 ? [1, 2, 2] : [1000, 1000, 1]
      let perChild = index == 0 ? 1 : 1000
      var root = try inner(
        try sizes.map { try zeros($0) }, of: perChild, total: sizes.reduce(0, +))
      if index == 0 {
        let offsets = try IntegerNode.make([1, 3], in: allocator).ref
        root = try IntegerNode.set(offsets.slot, at: 0, in: root, allocator)
      }
      root = try Tree.remove(at: index, from: root, allocator)
      try Tree.validate(root, in: space)
      let node = try BTreeInner(space.node(at: root), in: space)
      expectEqual(node.children.count, 2)
      expectEqual(node.elementsPerChild != nil, isCompact)
    }
  }

  /// Inner nodes that have become small are one with their neighbours, too.
  @Test func smallInnerNodesBecomeOne() throws {
    let parts = try (0..<3).map { part in
      try inner(
        try (0..<3).map { child in
          try IntegerNode.make(
            (0..<600).map { Int64(part * 10_000 + child * 1000 + $0) }, in: allocator
          ).ref
        }, of: 600, total: 1800)
    }
    let all = try (0..<5400).map { try Tree.value(at: $0 % 1800, of: parts[$0 / 1800], in: space) }
    var root = try inner(parts, of: 1800, total: 5400)
    root = try Tree.remove(at: 700, from: root, allocator)
    try Tree.validate(root, in: space)
    let top = try BTreeInner(space.node(at: root), in: space)
    expectEqual(top.children.count, 2)
    try expectEqual(BTreeInner(space.node(at: top.children[0]), in: space).children.count, 6)
    try expectEqual(
      Tree.all(of: root, in: space, as: Int64.self), Array(all[..<700] + all[701...]))
  }

  /// The beginning that ends with a leaf goes with its leaves, and the rest stays compact.
  @Test(arguments: [(1000, true), (2000, true), (999, false), (1001, false)])
  func wholeLeavesAreRemovedFirst(count: Int, isCompact: Bool) throws {
    var root = try inner(
      [try zeros(1000), try zeros(1000), try zeros(1000), try zeros(7)], of: 1000, total: 3007)
    root = try Tree.removeFirst(count, from: root, allocator)
    try Tree.validate(root, in: space)
    try expectEqual(Tree.count(root, in: space), 3007 - count)
    let node = try BTreeInner(space.node(at: root), in: space)
    expectEqual(node.children.count, 4 - count / 1000)
    expectEqual(node.elementsPerChild != nil, isCompact)
  }

  /// Nodes that count more than they have are found when they would become empty.
  @Test func nodesDoNotBecomeEmpty() throws {
    let one = try inner([try zeros(1)], of: 2, total: 2)
    #expect(throws: StorageError.corrupted("an inner node of a B+ tree would become empty")) {
      try Tree.remove(at: 0, from: one, allocator)
    }
    let below = try inner([try zeros(1), try zeros(1), try zeros(1)], of: 1, total: 3)
    for total in [4, 5] {
      let root = try inner([below, try zeros(2)], of: total, total: total + 2)
      #expect(
        throws: StorageError.corrupted(
          "a node of a B+ tree miscounts the elements of its children")
      ) { try Tree.removeFirst(3, from: root, allocator) }
    }
  }

  /// The last element goes, and its node stays compact.
  @Test func theLastElementIsRemovedInPlace() throws {
    let root = try inner([try zeros(1000), try zeros(3)], of: 1000, total: 1003)
    for count in [1002, 1001] {
      try expectEqual(Tree.remove(at: count, from: root, allocator), root)
      let node = try BTreeInner(space.node(at: root), in: space)
      expectEqual(node.elementsPerChild, 1000)
      expectEqual(node.total, count)
    }
  }

  // MARK: Walks

  /// A leaf without elements ends a walk, and so does one that the tree does not count.
  @Test func leavesHaveWhatTheTreeCounts() throws {
    for sizes in [[0, 2], [2, 0], [1, 2], [2, 1], [2, 3]] {
      let root = try inner(try sizes.map { try zeros($0) }, of: 2, total: 4)
      #expect(throws: Self.miscounts, "\(sizes)") {
        try Tree.all(of: root, in: space, as: Int64.self)
      }
    }
    let root = try inner([try zeros(0)], of: 2, total: 2)
    var cursor = try BTreeLeafCursor<IntegerLeaf>(root, in: space)
    #expect(throws: Self.miscounts) { try cursor.next() }
  }

  /// `BTree` 1.
  @Test func indicesOutsideOfATreeThrow() throws {
    let root = try inner([try zeros(1000), try zeros(3)], of: 1000, total: 1003)
    for index in [-1, 1003, 1004] {
      #expect(throws: StorageError.self) { try Tree.value(at: index, of: root, in: space) }
      #expect(throws: StorageError.self) { try Tree.remove(at: index, from: root, allocator) }
      #expect(throws: StorageError.self) { try Tree.set(1, at: index, in: root, allocator) }
      #expect(throws: StorageError.self) {
        try Tree.update(at: index, in: root, allocator) { (leaf, position) throws(StorageError) in
          try IntegerLeaf.set(1, at: position, in: leaf, allocator)
        }
      }
    }
    for index in [-1, 1004] {
      #expect(throws: StorageError.self) { try Tree.insert(1, at: index, in: root, allocator) }
      #expect(throws: StorageError.self) { try Tree.removeFirst(index, from: root, allocator) }
    }
    try Tree.validate(root, in: space)
  }

  /// Leaves lie at one depth.
  @Test func leavesAtOtherDepthsAreNotValid() throws {
    let leaf = try zeros(2)
    let higher = try inner([try inner([leaf], of: 2, total: 2), leaf], of: 2, total: 4)
    let lower = try inner([leaf, try inner([leaf], of: 2, total: 2)], of: 2, total: 4)
    for root in [higher, lower] {
      #expect(throws: StorageError.corrupted("the leaves of a B+ tree have different depths")) {
        try Tree.validate(root, in: space)
      }
    }
  }
}
