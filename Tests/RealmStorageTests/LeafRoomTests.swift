// SPDX-License-Identifier: Apache-2.0

// The room that leaves have for elements to come, and parts of leaves that are not what they claim
// to be.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct LeafRoomTests {
  private let scratch: ScratchSpace
  private var allocator: NodeAllocator { scratch.allocator }

  init() throws { scratch = try ScratchSpace() }

  // MARK: Room

  /// A copy of a committed leaf has an eighth more room, and 16 bytes.
  @Test(arguments: [(1, 8), (7, 8), (64, 8)]) func copiesOfCellsHaveRoom(
    count: Int, width: Int
  ) throws {
    var leaf = try CellNode.make(width: width, in: allocator).ref
    for index in 0..<count {
      leaf = try CellNode.insertGap(at: index, in: leaf, width: width, allocator).ref
    }
    allocator.seal()
    let copy = try CellNode.insertGap(at: 0, in: leaf, width: width, allocator)
    let needed = (count + 1) * width
    expectEqual(copy.capacityByteCount, (needed + needed / 8 + 16 + 7) & ~7)
  }

  /// Decimals that are all zero, or all null, take no bytes, and a leaf that becomes wider has room
  /// for more of them.
  @Test func decimalsBecomeWideWithRoom() throws {
    for value in [nil, DecimalBits.zero] {
      var leaf = try DecimalLeaf.make(in: allocator)
      for index in 0..<3 { leaf = try DecimalLeaf.insert(value, at: index, in: leaf, allocator) }
      try expectEqual(allocator.node(at: leaf).header.width, 0)
      let wide = DecimalBits(isNegative: false, coefficient: 7, exponent: 0)
      leaf = try DecimalLeaf.set(wide, at: 1, in: leaf, allocator)
      let node = allocator.mutableNode(at: leaf)
      expectEqual(node.header.width, 4)
      // Half as much again as four need.
      expectEqual(node.capacityByteCount, 24)
      try expectEqual(
        (0..<3).map { try DecimalLeaf.value(at: $0, of: leaf, in: scratch.space) },
        [value, wide, value])
    }
  }

  // MARK: Parts of strings

  /// A leaf of strings of the medium form with two values.
  private func strings() throws -> Ref {
    var leaf = try StringLeaf.make(in: allocator)
    let text = [UInt8](repeating: 65, count: 20)
    for index in 0..<2 {
      leaf = try withView(of: text) { (view) throws(StorageError) in
        try StringLeaf.insert(view, at: index, in: leaf, allocator)
      }
    }
    let node = try allocator.node(at: leaf)
    expectTrue(node.header.hasRefs && !node.header.hasContext)
    return leaf
  }

  /// Changes a part of a leaf; then nothing can be appended to it.
  private func expectRefused(
    _ comment: String, _ change: (Ref) throws(StorageError) -> Ref
  ) throws {
    let leaf = try change(try strings())
    #expect(throws: StorageError.self, "\(comment)") {
      try append(to: leaf)
    }
  }

  private func append(to leaf: Ref) throws -> Ref {
    try withView(of: [66]) { (view) throws(StorageError) in
      try StringLeaf.insert(view, at: 2, in: leaf, allocator)
    }
  }

  /// Values are put in place only where all three parts are what they should be.
  @Test func partsOfStringsAreLookedAt() throws {
    try expectRefused("two parts") { (leaf) throws(StorageError) in
      try IntegerNode.truncate(to: 2, leaf, allocator)
    }
    for (slots, layout) in [
      ([0], NodeLayout.multiply), ([1], .bits), ([2], .multiply), ([2], .bytes),
      ([0, 2], .multiply),
    ] {
      try expectRefused("parts \(slots)") { (leaf) throws(StorageError) in
        var leaf = leaf
        for slot in slots {
          let old = try allocator.node(at: try allocator.node(at: leaf).ref(at: slot))
          let header = NodeHeader(
            flags: [], layout: layout, widthCode: old.header.widthCode, count: old.count)
          let part = try allocator.allocate(header, capacity: 256)
          part.payload.copyMemory(from: old.payload, byteCount: old.header.payloadByteCount)
          leaf = try IntegerNode.set(part.ref.slot, at: slot, in: leaf, allocator)
        }
        return leaf
      }
    }
    let leaf = try append(to: strings())
    try expectEqual(StringLeaf.count(leaf, in: scratch.space), 3)
  }

  /// The bytes of a leaf may be as many as a node has; behind them only nothing can be put.
  @Test func theLongestBlobTakesNothingMore() throws {
    let most = NodeHeader.maximumCount
    let blob = try allocator.allocate(
      NodeHeader(flags: [], layout: .bytes, widthCode: 1, count: most), capacity: most)
    let ends = try IntegerNode.make([Int64(most)], in: allocator)
    let nulls = try IntegerNode.make([0], in: allocator)
    let parts = [ends.ref.slot, blob.ref.slot, nulls.ref.slot]
    let leaf = try IntegerNode.make(parts, flags: .hasRefs, in: allocator).ref
    #expect(throws: StorageError.self) {
      try withView(of: [1]) { (view) throws(StorageError) in
        try BinaryLeaf.insert(view, at: 1, in: leaf, allocator)
      }
    }
    let longer = try BinaryLeaf.insert(nil, at: 1, in: leaf, allocator)
    try expectEqual(BinaryLeaf.count(longer, in: scratch.space), 2)
    try expectTrue(BinaryLeaf.value(at: 1, of: longer, in: scratch.space) == nil)
  }

  /// What is opened for a loop reads as each element does; leaves of other kinds are refused.
  @Test func openLeavesReadAsOthers() throws {
    for (byteCount, isOpened) in [(3, true), (15, true), (16, true), (63, true), (64, false)] {
      var leaf = try StringLeaf.make(in: allocator)
      let texts = [nil, [], [UInt8](repeating: 66, count: byteCount), [65]]
      for (index, text) in texts.enumerated() {
        guard let text else {
          leaf = try StringLeaf.insert(nil, at: index, in: leaf, allocator)
          continue
        }
        leaf = try withView(of: text) { (view) throws(StorageError) in
          try StringLeaf.insert(view, at: index, in: leaf, allocator)
        }
      }
      let open = try OpenStringLeaf(try allocator.node(at: leaf), in: scratch.space)
      expectEqual(open != nil, isOpened, "\(byteCount)")
      guard let open else { continue }
      let read = try texts.indices.map { try open.bytes(at: $0).map { Array($0.bytes) } }
      expectEqual(read, texts, "\(byteCount)")
      for index in [-1, texts.count] {
        #expect(throws: StorageError.self) { try open.bytes(at: index) }
      }
    }
    let numbers = try IntegerNode.make([1, 2], in: allocator)
    try expectTrue(OpenStringLeaf(numbers.node, in: scratch.space) == nil)
  }

  // MARK: Parts of mixed values

  /// An index that no node has is refused as it is, before it is doubled.
  @Test func indicesOfPartsHaveALimit() throws {
    let most = NodeHeader.maximumCount
    for (type, slot) in [(MixedType.int, MixedSlot.integers), (.timestamp, .pairs)] {
      for index in [most - 1, most, most + 1] {
        let code = MixedCode(type, slot, index: index)
        let composite = try IntegerNode.make([code.bits], in: allocator)
        let payload = try IntegerNode.make([1, 2, 3, 4], in: allocator).ref.slot
        let outer = try IntegerNode.make(
          [composite.ref.slot, payload, payload, 0, 0, 0], flags: .hasRefs, in: allocator)
        let error = #expect(throws: StorageError.self) {
          try MixedLeaf.value(at: 0, of: outer.ref, in: scratch.space)
        }
        let isBefore = index < most
        let asked = isBefore && slot == .pairs ? 2 * index : index
        let text = error.map { "\($0)" } ?? ""
        let node = "a node of \(isBefore && slot == .integers ? 4 : 1) elements"
        expectTrue(text.contains("element \(asked) was asked of \(node)"), "\(index): \(text)")
      }
    }
  }
}
