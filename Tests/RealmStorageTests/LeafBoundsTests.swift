// SPDX-License-Identifier: Apache-2.0

// Every kind of leaf at the ends of its indices, and nodes that are full to their last byte.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct LeafBoundsTests {
  /// Uses a leaf beside both of its ends: what is outside throws.
  ///
  /// - Parameter values: What is stored, in both orders.
  private func expectBounds<L: Leaf>(_ type: L.Type, _ values: [L.Value]) throws {
    let scratch = try ScratchSpace()
    let (allocator, space) = (scratch.allocator, scratch.space)
    func make(_ count: Int) throws -> Ref {
      var ref = try L.make(in: allocator)
      for index in 0..<count { ref = try L.insert(values[index], at: index, in: ref, allocator) }
      return ref
    }
    // What has thrown is not used again.
    func expectThrows(_ count: Int, _ comment: String, _ body: (Ref) throws -> Void) throws {
      let ref = try make(count)
      #expect(throws: StorageError.self, "\(L.self), \(comment) of \(count)") { try body(ref) }
    }
    for count in 0...values.count {
      for index in [-1, count, count + 1, count + 7] {
        try expectThrows(count, "value \(index)") { _ = try L.value(at: index, of: $0, in: space) }
        try expectThrows(count, "remove \(index)") {
          _ = try L.remove(at: index, from: $0, allocator)
        }
        try expectThrows(count, "set \(index)") {
          _ = try L.set(values[0], at: index, in: $0, allocator)
        }
      }
      for index in [-1, count + 1, count + 2] {
        try expectThrows(count, "insert \(index)") {
          _ = try L.insert(values[0], at: index, in: $0, allocator)
        }
        try expectThrows(count, "split \(index)") { _ = try L.split($0, at: index, allocator) }
      }
      let ref = try make(count)
      try expectEqual(L.count(ref, in: space), count, "\(L.self)")
      try L.validate(ref, in: space)
    }
    var ref = try make(values.count)
    // The first and the last are changed, and all is cut off and put back.
    for index in [0, values.count - 1] {
      ref = try L.set(values[index], at: index, in: ref, allocator)
      ref = try L.remove(at: index, from: ref, allocator)
      ref = try L.insert(values[index], at: index, in: ref, allocator)
    }
    for index in [0, values.count] {
      let (left, right) = try L.split(ref, at: index, allocator)
      try expectEqual(L.count(left, in: space), index)
      try expectEqual(L.count(right, in: space), values.count - index)
      ref = try L.append(right, to: left, allocator)
    }
    try expectEqual(L.count(ref, in: space), values.count)
    try L.validate(ref, in: space)
    // Changes of a committed leaf are made in a copy.
    let committed = try make(values.count)
    for change in 0..<4 {
      allocator.seal()
      switch change {
      case 0: ref = try L.remove(at: 0, from: committed, allocator)
      case 1: ref = try L.insert(values[0], at: 0, in: committed, allocator)
      case 2: ref = try L.set(values[0], at: values.count - 1, in: committed, allocator)
      default: ref = try L.split(committed, at: 1, allocator).0
      }
      let count = values.count + [-1, 1, 0, 1 - values.count][change]
      try expectEqual(L.count(ref, in: space), count, "\(L.self), change \(change)")
      try L.validate(ref, in: space)
      try expectEqual(L.count(committed, in: space), values.count)
      allocator.revert()
    }
  }

  /// `ARCHITECTURE` 4.
  @Test func indicesOutsideOfALeafThrow() throws {
    try expectBounds(IntegerLeaf.self, [1, -5, 1 << 40])
    try expectBounds(IntegerLeaf.self, [0, 0, 1, 1, 0, 1, 1, 0, 0])
    try expectBounds(NullableIntegerLeaf.self, [1, nil, 200, -5])
    try expectBounds(BoolLeaf.self, [true, nil, false])
    try expectBounds(LinkLeaf.self, [7, nil, 1 << 50])
    try expectBounds(FloatLeaf.self, [1.5, nil, -2])
    try expectBounds(DoubleLeaf.self, [1.5, nil, -2])
    try expectBounds(
      TimestampLeaf.self,
      [Timestamp(seconds: 5, nanoseconds: 6), nil, Timestamp(seconds: -1, nanoseconds: -9)])
    try expectBounds(DecimalLeaf.self, [.zero, nil, .zero])
    for exponent in [1, 300, 6000] {
      let decimal = DecimalBits(isNegative: false, coefficient: 7, exponent: exponent)
      try expectBounds(DecimalLeaf.self, [decimal, nil, .zero])
    }
    try expectBounds(
      ObjectIdLeaf.self, (0..<17).map { $0 % 3 == 0 ? nil : Bytes12(high: $0, low: 5) })
    try expectBounds(UUIDLeaf.self, (0..<17).map { $0 % 3 == 0 ? nil : Bytes16(high: $0, low: 5) })
    try expectBounds(TypedLinkLeaf.self, [TypedLink(table: 3, key: 4), nil])
    try expectBounds(RefLeaf.self, [.null, .null])
    try expectBounds(BacklinkLeaf.self, [.null, Backlinks(slot: 9), .null])
  }

  /// `ARCHITECTURE` 4.
  @Test(arguments: [0, 1, 15, 16, 63, 64, 65, 200]) func indicesOutsideOfBytesThrow(
    byteCount: Int
  ) throws {
    let bytes = [UInt8](repeating: 65, count: byteCount)
    try withExtendedLifetime(bytes) {
      try bytes.withUnsafeBytes { raw in
        let view = ByteView(raw)
        try expectBounds(StringLeaf.self, [view, nil, view])
        try expectBounds(BinaryLeaf.self, [view, nil, view])
        try expectBounds(MixedLeaf.self, [.string(view), .null, .binary(view)])
      }
    }
  }

  /// `ARCHITECTURE` 4.
  @Test func indicesOutsideOfMixedLeavesThrow() throws {
    try expectBounds(
      MixedLeaf.self,
      [
        .int(1), .null, .bool(true), .int(1 << 60), .double(1.5), .float(2),
        .timestamp(Timestamp(seconds: 1, nanoseconds: 2)), .objectId(Bytes12(high: 1, low: 2)),
        .uuid(Bytes16(high: 1, low: 2)), .typedLink(table: 1, key: 2), .decimal(.zero),
      ])
  }

  // MARK: Full nodes

  /// Elements are put into a node to its last byte, at the end and inside, and then into another.
  @Test(arguments: [true, false]) func nodesAreFilledToTheirLastByte(atEnd: Bool) throws {
    let scratch = try ScratchSpace()
    for code in 1...7 {
      let width = (1 << code) >> 1
      let header = NodeHeader(flags: [], layout: .bits, widthCode: code, count: 0)
      let node = try scratch.allocator.allocate(header, capacity: 24)
      expectEqual(node.capacityByteCount, 24)
      let room = 24 * 8 / width
      for count in 0...room {
        let ref = try IntegerNode.insert(
          0, at: atEnd ? count : 0, in: node.ref, scratch.allocator)
        expectEqual(ref == node.ref, count < room, "\(count) of width \(width)")
      }
    }
    for width in [1, 2, 4, 8, 16] {
      let node = try CellNode.make(width: width, reserving: 0, in: scratch.allocator)
      let larger = try CellNode.make(width: width, reserving: 32 / width, in: scratch.allocator)
      for (start, room) in [(node, 8 / width), (larger, 32 / width)] {
        expectEqual(start.capacityByteCount / width, room)
        for count in 0...room {
          let grown = try CellNode.insertGap(
            at: atEnd ? count : 0, in: start.ref, width: width, scratch.allocator)
          expectEqual(grown.ref == start.ref, count < room, "\(count) of \(width) bytes")
        }
      }
    }
  }

  /// Leaves of bytes use their room, too.
  @Test(arguments: [true, false]) func leavesOfBytesAreFilledToTheirLastByte(atEnd: Bool) throws {
    let scratch = try ScratchSpace()
    let header = NodeHeader(flags: [], layout: .multiply, widthCode: 4, count: 0)
    let text = try scratch.allocator.allocate(header, capacity: 24).ref
    for count in 0...3 {
      let ref = try StringLeaf.insert(
        ByteView("abc"), at: atEnd ? count : 0, in: text, scratch.allocator)
      expectEqual(ref == text, count < 3, "\(count)")
    }
    let cell = NodeHeader(flags: [], layout: .multiply, widthCode: 1, count: 0)
    // Two IDs of twelve bytes and the byte of their nulls.
    for (capacity, room) in [(32, 2), (40, 3), (24, 1), (304, 25)] {
      let ids = try scratch.allocator.allocate(cell, capacity: capacity).ref
      for count in 0...room {
        let ref = try ObjectIdLeaf.insert(
          Bytes12(high: 1, low: 2), at: atEnd ? count : 0, in: ids, scratch.allocator)
        expectEqual(ref == ids, count < room, "\(count) of \(room)")
      }
    }
    let blob = try BlobNode.make(ByteView("abcd"), reserving: 16, in: scratch.allocator).ref
    let twelve = ByteView("efghijklmnop")
    try expectEqual(
      BlobNode.replace(
        atEnd ? 4..<4 : 0..<0, in: blob, with: twelve, scratch.allocator), blob)
    expectFalse(
      try BlobNode.replace(
        atEnd ? 16..<16 : 0..<0, in: blob, with: ByteView("q"), scratch.allocator) == blob)
  }

  /// A short text that fits is appended where the leaf is, and one that does not changes nothing.
  @Test func shortTextsAreAppendedInPlace() throws {
    let scratch = try ScratchSpace()
    let header = NodeHeader(flags: [], layout: .multiply, widthCode: 3, count: 0)
    let node = try scratch.allocator.allocate(header, capacity: 32)
    expectTrue(ShortStrings.append(ByteView("abc"), at: 0, to: node))
    expectTrue(ShortStrings.append(nil, at: 1, to: node))
    expectFalse(ShortStrings.append(ByteView("abcd"), at: 2, to: node))
    expectFalse(ShortStrings.append(ByteView("abc"), at: 3, to: node))
    try expectEqual(StringLeaf.count(node.ref, in: scratch.space), 2)
    try expectEqual(StringLeaf.value(at: 0, of: node.ref, in: scratch.space), ByteView("abc"))
    try expectEqual(StringLeaf.value(at: 1, of: node.ref, in: scratch.space), nil)
  }

  // MARK: Lengths

  /// A text is short up to 15 bytes, and medium up to 63 (file format 4.4.3).
  @Test(arguments: [14, 15, 16, 62, 63, 64]) func textsHaveAFormByTheirLength(count: Int) throws {
    let scratch = try ScratchSpace()
    let bytes = [UInt8](repeating: 66, count: count)
    for first in ["", "0123456789abcdef"] {
      var ref = try StringLeaf.make(in: scratch.allocator)
      ref = try StringLeaf.insert(
        ByteView(first == "" ? "" : "0123456789abcdef"), at: 0, in: ref, scratch.allocator)
      for index in 1...2 {
        ref = try withView(of: bytes) { (view) throws(StorageError) in
          try StringLeaf.insert(view, at: index, in: ref, scratch.allocator)
        }
      }
      let header = try scratch.space.node(at: ref).header
      let isShort = count <= 15 && first == ""
      expectEqual(BytesForm(header), isShort ? .short : count <= 63 ? .medium : .big, "\(count)")
      for index in 1...2 {
        let value = try StringLeaf.value(at: index, of: ref, in: scratch.space)
        expectEqual(value.map { Array($0.bytes) }, bytes)
      }
    }
  }

  /// The longest text and the longest blob are stored, and a binary that is longer is a chain.
  @Test(.heavy) func theLongestValuesAreStored() throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    let most = BlobNode.maximumByteCount
    let bytes = [UInt8](repeating: 67, count: 2 * most)
    func view<Result>(
      _ count: Int, _ body: (ByteView) throws -> Result
    ) throws -> Result {
      try bytes.withUnsafeBytes { raw in
        try body(ByteView(UnsafeRawBufferPointer(rebasing: raw[..<count])))
      }
    }
    let empty = try StringLeaf.make(in: allocator)
    try view(StringLeaf.maximumByteCount) { text in
      let ref = try StringLeaf.insert(text, at: 0, in: empty, allocator)
      try expectEqual(StringLeaf.value(at: 0, of: ref, in: scratch.space)?.count, text.count)
      try allocator.freeTree(ref)
    }
    try view(most) { blob in
      try expectEqual(BlobNode.make(blob, in: allocator).node.count, most)
      let chain = try BlobNode.makeChain(blob, in: allocator)
      try expectFalse(scratch.space.node(at: chain).header.hasRefs)
    }
    #expect(throws: StorageError.self) {
      try view(most + 1) { try BlobNode.make($0, in: allocator) }
    }
    for (count, pieces) in [(most + 1, 2), (2 * most, 2)] {
      let chain = try view(count) { try BlobNode.makeChain($0, in: allocator) }
      try expectEqual(scratch.space.node(at: chain).count, pieces)
      try expectEqual(BlobNode.chainByteCount(of: chain, in: scratch.space), count)
    }
    // A leaf of many texts may be somewhat longer than the longest of them.
    let start = try BlobNode.make(.empty, in: allocator).ref
    for (count, isStored) in [
      (NodeHeader.maximumCount, true), (NodeHeader.maximumCount + 1, false),
    ] {
      func replace() throws -> Ref {
        try view(count) { try BlobNode.replace(0..<0, in: start, with: $0, allocator) }
      }
      if isStored {
        try expectEqual(scratch.space.node(at: try replace()).count, count)
      } else {
        #expect(throws: StorageError.self) { try replace() }
      }
    }
  }
}
