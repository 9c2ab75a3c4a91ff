// SPDX-License-Identifier: Apache-2.0

// What changes of leaves leave behind: bits, neighbours, room, and what they owned.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct LeafChangeTests {
  private let scratch: ScratchSpace
  private var allocator: NodeAllocator { scratch.allocator }
  private var space: NodeSpace { scratch.space }

  init() throws { scratch = try ScratchSpace() }

  /// A freed node is the next one of its size.
  private func isFreed(_ ref: Ref, _ values: [Int64]) throws -> Bool {
    let next = try IntegerNode.make(values, in: allocator).ref
    defer { if next != ref { try? allocator.free(next) } }
    return next == ref
  }

  /// A list of backlinks that another replaces is freed, and one in its own place is not.
  @Test func backlinksAreFreedWhenTheyAreReplaced() throws {
    let keys: [Int64] = [1 << 40, 2, 3, 4, 5]
    let (first, second) = (
      try IntegerNode.make(keys, in: allocator).ref, try IntegerNode.make([7], in: allocator).ref
    )
    var leaf = try BacklinkLeaf.make(in: allocator)
    leaf = try BacklinkLeaf.insert(Backlinks(slot: first.slot), at: 0, in: leaf, allocator)
    leaf = try BacklinkLeaf.set(Backlinks(slot: first.slot), at: 0, in: leaf, allocator)
    try expectFalse(isFreed(first, keys))
    leaf = try BacklinkLeaf.set(Backlinks(slot: second.slot), at: 0, in: leaf, allocator)
    try expectTrue(isFreed(first, keys))
    try expectEqual(BacklinkLeaf.value(at: 0, of: leaf, in: space).slot, second.slot)
  }

  /// A leaf without refs has no backlinks.
  @Test func backlinksNeedRefs() throws {
    let leaf = try IntegerNode.make([0, 5], in: allocator).ref
    try expectEqual(BacklinkLeaf.value(at: 0, of: leaf, in: space), .null)
    #expect(throws: StorageError.self) { try BacklinkLeaf.value(at: 1, of: leaf, in: space) }
  }

  /// Elements without a salt have 0, as others leave zeros out.
  @Test func missingSaltsAreZero() throws {
    var leaf = try MixedLeaf.make(in: allocator)
    for value in [1, 2, 3] as [Int64] {
      leaf = try MixedLeaf.insert(.int(value), at: 0, in: leaf, allocator)
    }
    let salts = try IntegerNode.make([7], in: allocator).ref
    leaf = try IntegerNode.set(salts.slot, at: 5, in: leaf, allocator)
    try expectEqual((0..<3).map { try MixedLeaf.salt(at: $0, of: leaf, in: space) }, [7, 0, 0])
    leaf = try MixedLeaf.insert(.int(4), at: 3, in: leaf, allocator)
    try expectEqual((0..<4).map { try MixedLeaf.salt(at: $0, of: leaf, in: space) }, [7, 0, 0, 0])
    // More than there are elements are cut off.
    let more = try IntegerNode.make([7, 0, 0, 0, 9, 9], in: allocator).ref
    leaf = try IntegerNode.set(more.slot, at: 5, in: leaf, allocator)
    leaf = try MixedLeaf.insert(.int(5), at: 4, in: leaf, allocator)
    try expectEqual(
      (0..<5).map { try MixedLeaf.salt(at: $0, of: leaf, in: space) }, [7, 0, 0, 0, 0])
    try MixedLeaf.validate(leaf, in: space)
  }

  /// A removed element leaves no bit behind.
  @Test func bitsOfRemovedElementsAreCleared() throws {
    var leaf = try ObjectIdLeaf.make(in: allocator)
    leaf = try ObjectIdLeaf.insert(Bytes12(high: 1, low: 2), at: 0, in: leaf, allocator)
    for count in 1...8 {
      leaf = try ObjectIdLeaf.insert(nil, at: count, in: leaf, allocator)
    }
    for count in stride(from: 8, through: 1, by: -1) {
      leaf = try ObjectIdLeaf.remove(at: count, from: leaf, allocator)
      let bytes = Array(try space.node(at: leaf).bytes)
      expectEqual(bytes[0], UInt8((1 << count) - 2), "\(count)")
    }
    for index in 1...3 { leaf = try ObjectIdLeaf.insert(nil, at: index, in: leaf, allocator) }
    let (left, right) = try ObjectIdLeaf.split(leaf, at: 2, allocator)
    try expectEqual(Array(space.node(at: left).bytes)[0], 2)
    try expectEqual(Array(space.node(at: right).bytes)[0], 3)
  }

  /// Cells that move up stay in their node.
  @Test(arguments: [1, 2]) func removedCellsMoveWithinTheirNode(count: Int) throws {
    var leaf = try CellNode.make(width: 8, reserving: count, in: allocator).ref
    for index in 0..<count {
      leaf = try DoubleLeaf.insert(Double(index), at: index, in: leaf, allocator)
    }
    let behind = try IntegerNode.make([1 << 40, 1 << 41], in: allocator)
    let before = behind.node.header
    expectEqual(behind.ref.offset, leaf.offset + 8 + 8 * count)
    try expectEqual(DoubleLeaf.remove(at: 0, from: leaf, allocator), leaf)
    expectEqual(behind.node.header, before)
    try expectEqual(allocator.node(at: behind.ref).integer(at: 0), 1 << 40)
    if count > 1 { try expectEqual(DoubleLeaf.value(at: 0, of: leaf, in: space), 1) }
  }

  /// A decimal of the width that a leaf has is stored where the leaf is.
  @Test func decimalsOfOneWidthStayInTheirLeaf() throws {
    for exponent in [1, 300, 6000] {
      let decimal = DecimalBits(isNegative: false, coefficient: 7, exponent: exponent)
      var leaf = try DecimalLeaf.make(in: allocator)
      leaf = try DecimalLeaf.insert(decimal, at: 0, in: leaf, allocator)
      for value in [decimal, nil, .zero, -decimal] {
        try expectEqual(DecimalLeaf.set(value, at: 0, in: leaf, allocator), leaf)
        try expectEqual(DecimalLeaf.value(at: 0, of: leaf, in: space), value)
      }
    }
  }

  /// Committed leaves are copied with room for the next element.
  @Test func copiesOfLeavesHaveRoom() throws {
    var cells = try DoubleLeaf.make(in: allocator)
    var numbers = try IntegerNode.make([1, 2], in: allocator).ref
    for index in 0..<20 {
      cells = try DoubleLeaf.insert(Double(index), at: index, in: cells, allocator)
    }
    allocator.seal()
    cells = try DoubleLeaf.insert(20, at: 20, in: cells, allocator)
    try expectEqual(DoubleLeaf.insert(21, at: 21, in: cells, allocator), cells)
    numbers = try IntegerNode.insert(3, at: 2, in: numbers, allocator)
    try expectEqual(IntegerNode.insert(3, at: 3, in: numbers, allocator), numbers)
    let text = try BlobNode.make(ByteView("abc"), in: allocator).ref
    allocator.seal()
    let copy = try allocator.makeWritable(text).ref
    try expectEqual(
      BlobNode.replace(3..<3, in: copy, with: ByteView("defghij"), allocator), copy)
  }

  /// Bytes inside a node are no node that can be written to.
  @Test func placesInsideOfNodesAreNotWritable() throws {
    let node = try IntegerNode.make([1 << 40, 1 << 41, (1 << 40) + 0xFFFF], in: allocator)
    expectTrue(allocator.isWritable(node.ref))
    // Without a capacity, and with one that reaches beyond what is allocated.
    expectFalse(allocator.isWritable(Ref(node.ref.offset + 8)))
    expectFalse(allocator.isWritable(Ref(node.ref.offset + 24)))
    expectFalse(allocator.isWritable(Ref(node.ref.offset + 4)))
  }

  /// A slab may begin where the file ends.
  @Test func theSlabMayFollowTheFile() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 8)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: 256)
    let allocator = NodeAllocator(
      space: NodeSpace(
        base: UnsafeRawPointer(memory), fileEnd: 64, slabStart: 64, slabEnd: 256))
    let node = try IntegerNode.make([1 << 40, 5], in: allocator)
    expectEqual(node.ref.offset, 64)
    try expectEqual(allocator.node(at: node.ref).integer(at: 1), 5)
  }

  /// A history that claims as many entries as there are versions is begun anew.
  @Test(arguments: [(3, 1), (4, 4), (5, 4)]) func impossibleHistoriesAreDropped(
    version: UInt64, count: Int
  ) throws {
    var root = try BTree<BinaryLeaf>.make(in: allocator)
    for byte in [1, 2, 3] as [UInt8] {
      root = try BTree<BinaryLeaf>.append([byte], to: root, allocator)
    }
    root = try History.append([9], to: root, making: version, oldest: 0, allocator)
    try expectEqual(BTree<BinaryLeaf>.count(root, in: space), count)
  }
}
