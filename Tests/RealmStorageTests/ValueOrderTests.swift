// SPDX-License-Identifier: Apache-2.0

// Equality and order of values that have parts, and of headers.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct ValueOrderTests {
  /// Values in their order, all different.
  private func expectOrder<Value: Comparable>(_ values: [Value]) {
    for (place, left) in values.enumerated() {
      for (otherPlace, right) in values.enumerated() {
        let (isEqual, isLess) = (left == right, left < right)
        expectEqual(isEqual, place == otherPlace, "\(left), \(right)")
        expectEqual(isLess, place < otherPlace, "\(left), \(right)")
      }
    }
  }

  @Test func partsAreComparedInTheirOrder() {
    expectOrder([
      Bytes12(high: 1, low: 1), Bytes12(high: 1, low: 2), Bytes12(high: 2, low: 0),
      Bytes12(high: 2, low: 1),
    ])
    expectOrder([
      Bytes16(high: 1, low: 1), Bytes16(high: 1, low: 2), Bytes16(high: 2, low: 0),
      Bytes16(high: 2, low: 1),
    ])
    expectOrder([
      Timestamp(seconds: -1, nanoseconds: -5), Timestamp(seconds: -1, nanoseconds: 0),
      Timestamp(seconds: 1, nanoseconds: 5), Timestamp(seconds: 1, nanoseconds: 6),
      Timestamp(seconds: 2, nanoseconds: 0), Timestamp(seconds: 2, nanoseconds: 5),
    ])
    expectOrder(
      [
        ByteView.empty, ByteView("a"), ByteView("aa"), ByteView("ab"), ByteView("b"),
        ByteView("b\u{7F}"), ByteView("ba"),
      ].sorted())
  }

  @Test func bytesAreEqualWhereverTheyAre() {
    let bytes = Array("abcabd".utf8)
    bytes.withUnsafeBytes { raw in
      func view(_ range: Range<Int>) -> ByteView {
        ByteView(UnsafeRawBufferPointer(rebasing: raw[range]))
      }
      let (same, other, different) = (view(0..<2), view(3..<5), view(1..<3))
      let empty = view(2..<2)
      for (left, right, isEqual) in [
        (same, same, true), (same, other, true), (same, different, false),
        (view(0..<3), view(3..<6), false), (same, view(0..<3), false), (empty, .empty, true),
        (.empty, .empty, true), (.empty, same, false),
      ] {
        let found = left == right
        expectEqual(found, isEqual)
      }
      let (isLess, isMore) = (ByteView.empty < same, same < ByteView.empty)
      expectTrue(isLess)
      expectFalse(isMore)
    }
  }

  /// Texts of every length around that of the short ones.
  @Test func textsAreRead() {
    for count in [0, 1, 14, 15, 16, 17, 100] {
      let text = String(repeating: "é", count: count / 2) + (count % 2 == 1 ? "x" : "")
      let bytes = Array(text.utf8)
      bytes.withUnsafeBytes { expectEqual(ByteView($0).string, text) }
    }
    expectEqual(ByteView.empty.string, "")
  }

  /// Bytes in the slab may move, and are copied before they are stored.
  @Test func bytesOfTheSlabAreKnown() throws {
    let scratch = try ScratchSpace()
    let (space, allocator) = (scratch.space, scratch.allocator)
    for (offset, isHeld) in [
      (space.slabStart - 1, false), (space.slabStart, true), (space.slabEnd - 1, true),
      (space.slabEnd, false),
    ] {
      expectEqual(allocator.holds(ByteView(start: space.base + offset, count: 1)), isHeld)
    }
    expectFalse(allocator.holds(.empty))
  }

  @Test func headersAreEqualIfTheirBytesAre() {
    let header = FileHeader.blank
    var other = header
    let isEqual = header == other
    expectTrue(isEqual)
    other.flags = 1
    let isStillEqual = header == other
    expectFalse(isStillEqual)
    for (topRef, flags, isStreaming) in [
      (UInt64.max, 0, true), (.max, 1, false), (24, 0, false), (24, 1, false),
    ] as [(UInt64, UInt8, Bool)] {
      other.topRefs.0 = topRef
      other.flags = flags
      expectEqual(other.isStreaming, isStreaming)
    }
    let bytes = FileHeader.streaming.bytes
    for count in [0, 20, 23, 24, 25] {
      let start = (bytes + [0]).prefix(count)
      let isHeader = Array(start).withUnsafeBytes { FileHeader($0) != nil }
      expectEqual(isHeader, count >= FileHeader.byteCount)
    }
  }

  @Test func layoutsAndWidthsAreToldApart() {
    for layout in [NodeLayout.bits, .multiply, .bytes] {
      for code in 0...7 {
        let header = NodeHeader(flags: .hasRefs, layout: layout, widthCode: code, count: 3)
        for other in [NodeLayout.bits, .multiply, .bytes] {
          for otherCode in 0...7 {
            expectEqual(
              header.isOf(other, widthCode: otherCode), layout == other && code == otherCode)
          }
        }
        expectEqual(header.isOfRefs(widthCode: code), layout == .bits)
      }
    }
    for (width, code) in [(0, 0), (1, 1), (2, 2), (4, 3), (8, 4), (16, 5), (32, 6), (64, 7)] {
      expectEqual(NodeHeader.widthCode(of: width), code)
    }
  }

  @Test func unsignedNumbersHaveTheWidthThatHoldsThem() {
    for (value, code) in [
      (0, 4), (255, 4), (256, 5), (65_535, 5), (65_536, 6), (UInt64(UInt32.max), 6),
      (UInt64(UInt32.max) + 1, 7), (.max, 7),
    ] as [(UInt64, Int)] {
      expectEqual(PackedIntegers.unsignedWidthCode(for: value), code, "\(value)")
    }
  }

  /// A table has 31 bits.
  @Test func typedLinksHaveALargestTable() throws {
    let scratch = try ScratchSpace()
    for table in [0, 0x7FFF_FFFE] as [Int64] {
      var ref = try TypedLinkLeaf.make(in: scratch.allocator)
      let link = TypedLink(table: table, key: 5)
      ref = try TypedLinkLeaf.insert(link, at: 0, in: ref, scratch.allocator)
      try expectEqual(TypedLinkLeaf.value(at: 0, of: ref, in: scratch.space), link)
    }
    let beyond = try IntegerNode.make([0x8000_0000, 6], in: scratch.allocator).ref
    #expect(throws: StorageError.self) {
      try TypedLinkLeaf.value(at: 0, of: beyond, in: scratch.space)
    }
  }

  /// A collection that another replaces is freed, and one that takes its own place is not.
  @Test func collectionsAreFreedWhenTheyAreReplaced() throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    let (first, second) = (
      try IntegerNode.make([1, 2], in: allocator).ref, try IntegerNode.make([3], in: allocator).ref
    )
    var leaf = try RefLeaf.make(in: allocator)
    leaf = try RefLeaf.insert(first, at: 0, in: leaf, allocator)
    leaf = try RefLeaf.set(first, at: 0, in: leaf, allocator)
    // A freed node is the next of its size.
    expectFalse(try IntegerNode.make([7, 7], in: allocator).ref == first)
    leaf = try RefLeaf.set(second, at: 0, in: leaf, allocator)
    try expectEqual(IntegerNode.make([7, 7], in: allocator).ref, first)
    try expectEqual(RefLeaf.value(at: 0, of: leaf, in: scratch.space), second)
    for isList in [true, false] {
      func value(_ ref: Ref) -> MixedValue { isList ? .list(ref) : .dictionary(ref) }
      let (first, second) = (
        try IntegerNode.make([1 << 40, 2, 3], in: allocator).ref,
        try IntegerNode.make([1 << 40, 2, 3], in: allocator).ref
      )
      var mixed = try MixedLeaf.make(in: allocator)
      mixed = try MixedLeaf.insert(value(first), at: 0, in: mixed, allocator)
      switch try MixedLeaf.value(at: 0, of: mixed, in: scratch.space) {
      case .list(let ref): expectTrue(isList && ref == first)
      case .dictionary(let ref): expectTrue(!isList && ref == first)
      default: Issue.record("no collection")
      }
      mixed = try MixedLeaf.set(value(first), at: 0, in: mixed, allocator)
      try expectEqual(allocator.node(at: first).integer(at: 0), 1 << 40)
      expectFalse(try IntegerNode.make([1 << 40, 2, 3], in: allocator).ref == first)
      mixed = try MixedLeaf.set(value(second), at: 0, in: mixed, allocator)
      try expectEqual(IntegerNode.make([1 << 40, 2, 3], in: allocator).ref, first)
    }
  }

  /// A slab of nothing, as readers have it, is never taken.
  @Test func noSlabIsNotTaken() {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
    defer { memory.deallocate() }
    let slab = SlabSpace.Slab(at: memory, byteCount: 0)
    expectFalse(SlabSpace(byteLimit: 1).take(slab))
  }
}
