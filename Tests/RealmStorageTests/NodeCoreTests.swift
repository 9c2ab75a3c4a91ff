// SPDX-License-Identifier: Apache-2.0

// The node core: header bits, packed integers, the border where refs are checked, the allocator.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A reserved range with a readable "file" part, and an allocator above it.
private struct Arena {
  let reservation: AddressReservation
  let allocator: NodeAllocator

  init(fileByteCount: Int = 4096) throws {
    reservation = try AddressReservation(
      path: "arena", fileCapacity: 1 << 20, slabCapacity: 64 << 20, minimumFileCapacity: 1 << 20)
    mprotect(reservation.base, 1 << 20, PROT_READ | PROT_WRITE)
    allocator = NodeAllocator(
      space: NodeSpace(
        base: UnsafeRawPointer(reservation.base), fileEnd: fileByteCount,
        slabStart: reservation.fileCapacity,
        slabEnd: reservation.fileCapacity + reservation.slabCapacity))
  }

  func writeFileNode(_ header: NodeHeader, at offset: Int, payload: [UInt8] = []) {
    reservation.base.storeBytes(of: header.bits, toByteOffset: offset, as: UInt64.self)
    for (index, byte) in payload.enumerated() {
      reservation.base.storeBytes(of: byte, toByteOffset: offset + 8 + index, as: UInt8.self)
    }
  }

  func elements(_ ref: Ref) throws -> [Int64] {
    let node = try allocator.node(at: ref)
    return try (0..<node.count).map { try node.integer(at: $0) }
  }
}

struct NodeCoreTests {
  /// A leaf of collections without refs is one of something else, unless it is empty.
  @Test func leavesOfCollectionsHoldRefs() throws {
    let arena = try Arena()
    let space = arena.allocator.space
    for (flags, count, isGood) in [
      ([], 0, true), ([], 1, false), (.hasRefs, 0, true), (.hasRefs, 1, true),
    ] as [(NodeFlags, Int, Bool)] {
      arena.writeFileNode(
        NodeHeader(flags: flags, layout: .bits, widthCode: 0, count: count), at: 24)
      if isGood {
        try RefLeaf.validate(Ref(24), in: space)
      } else {
        #expect(throws: StorageError.self) { try RefLeaf.validate(Ref(24), in: space) }
      }
    }
  }

  @Test func headerBytesMatchTheFormatDocument() throws {
    // Worked example A of the format document: the leaf of table names, two cells of 16 bytes.
    let bytes: [UInt8] = [0x41, 0x41, 0x41, 0x41, 0x0d, 0x00, 0x00, 0x02]
    let bits = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    let header = NodeHeader(bits: bits)
    expectEqual(header.layout, .multiply)
    expectEqual(header.width, 16)
    expectEqual(header.count, 2)
    expectEqual(header.flags, [])
    expectEqual(header.nodeByteCount, 40)
    expectEqual(NodeHeader(flags: [], layout: .multiply, widthCode: 5, count: 2).bits, bits)
  }

  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7])
  func packedIntegersRoundTripAtTheEdgesOfEachWidth(code: Int) {
    let edges: [[Int64]] = [
      [0], [0, 1], [0, 3], [0, 15], [-128, 127], [-32768, 32767],
      [Int64(Int32.min), Int64(Int32.max)], [.min, .max],
    ]
    let values = edges[...code].flatMap(\.self)
    let room = UnsafeMutableRawPointer.allocate(byteCount: 256, alignment: 8)
    defer { room.deallocate() }
    room.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 256)
    for (index, value) in values.enumerated() {
      PackedIntegers.store(value, to: room, widthCode: code, at: index)
    }
    for (index, value) in values.enumerated() {
      expectEqual(PackedIntegers.load(room, widthCode: code, at: index), value)
      expectTrue(PackedIntegers.widthCode(for: value) <= code)
    }
    expectEqual(edges[code].map(PackedIntegers.widthCode(for:)).max(), code)
  }

  @Test func theFirstValueBeyondAWidthNeedsTheNext() {
    let beyond: [(Int64, Int)] = [
      (1, 1), (2, 2), (4, 3), (16, 4), (-1, 4), (128, 5), (-129, 5), (32768, 6), (-32769, 6),
      (Int64(Int32.max) + 1, 7), (Int64(Int32.min) - 1, 7),
    ]
    for (value, code) in beyond { expectEqual(PackedIntegers.widthCode(for: value), code) }
  }

  /// `NodeSpace` 2.
  @Test func aRefOutsideTheFileOrMisalignedThrows() throws {
    let arena = try Arena(fileByteCount: 128)
    arena.writeFileNode(NodeHeader(flags: [], layout: .bits, widthCode: 7, count: 11), at: 24)
    arena.writeFileNode(NodeHeader(flags: [], layout: .bits, widthCode: 7, count: 4), at: 96)
    try expectEqual(arena.allocator.node(at: Ref(24)).count, 11)
    for bad in [0, 8, 16, 25, 28, 96, 120 + 8, 4096, 1 << 40, -8, Int.min, Int.max & ~7] {
      #expect(throws: StorageError.self) { try arena.allocator.node(at: Ref(bad)) }
    }
  }

  /// `NodeSpace` 2, where a node reaches so far that it has to be measured.
  /// `Node` 1.
  @Test(arguments: [NodeLayout.bits, .multiply, .bytes])
  func aNodeMayEndWithTheFileAndNotBeyond(layout: NodeLayout) throws {
    let arena = try Arena()
    for code in 0...7 {
      for count in [0, 1, 7, 40] {
        let header = NodeHeader(flags: [], layout: layout, widthCode: code, count: count)
        let last = 4096 - header.nodeByteCount
        arena.writeFileNode(header, at: last)
        try expectEqual(arena.allocator.node(at: Ref(last)).count, count)
        arena.writeFileNode(header, at: last + 8)
        #expect(throws: StorageError.self) { try arena.allocator.node(at: Ref(last + 8)) }
      }
    }
  }

  /// `Node` 2.
  @Test(arguments: [4, 5, 6, 7])
  func refsAreReadInEachWidth(code: Int) throws {
    let arena = try Arena()
    func node(_ flags: NodeFlags, _ layout: NodeLayout) throws -> Node {
      arena.writeFileNode(
        NodeHeader(flags: flags, layout: layout, widthCode: code, count: 3), at: 64)
      return try arena.allocator.node(at: Ref(64))
    }
    for (index, slot) in [96, 7, 0].enumerated() {
      PackedIntegers.store(
        Int64(slot), to: arena.reservation.base + 72, widthCode: code, at: index)
    }
    let refs = try node(.hasRefs, .bits)
    #expect(try refs.ref(at: 0) == Ref(96) && refs.ref(at: 2).isNull)
    for index in [1, 3, -1] { #expect(throws: StorageError.self) { try refs.ref(at: index) } }
    let others = [try node([], .bits), try node(.hasRefs, .multiply), try node(.hasRefs, .bytes)]
    for other in others { #expect(throws: StorageError.self) { try other.ref(at: 0) } }
  }

  /// `Node` 2.
  @Test func anElementBeyondTheEndThrows() throws {
    let arena = try Arena()
    let node = try IntegerNode.make([1, 2, 3], in: arena.allocator).node
    #expect(throws: StorageError.self) { try node.integer(at: 3) }
    #expect(throws: StorageError.self) { try node.integer(at: -1) }
    #expect(throws: StorageError.self) { try node.ref(at: 0) }
  }

  /// `NodeAllocator` 1.
  @Test func aCommittedNodeIsCopiedOnceAndListedAsFreed() throws {
    let arena = try Arena()
    let header = NodeHeader(flags: [.hasRefs], layout: .bits, widthCode: 4, count: 3)
    arena.writeFileNode(header, at: 32, payload: [5, 7, 0])
    let copy = try arena.allocator.makeWritable(Ref(32))
    expectEqual(copy.header.width, 64)
    try expectEqual(arena.elements(copy.ref), [5, 7, 0])
    try expectEqual(arena.allocator.makeWritable(copy.ref).ref, copy.ref)
    expectEqual(arena.allocator.freedBlocks, [.init(offset: 32, byteCount: 16)])
    expectEqual(arena.reservation.base.load(fromByteOffset: 40, as: UInt8.self), 5)
  }

  /// `NodeAllocator` 2.
  @Test func freedSlabMemoryIsUsedAgain() throws {
    let arena = try Arena()
    let first = try IntegerNode.make(repeating: 9, count: 40, in: arena.allocator)
    try arena.allocator.free(first.ref)
    let used = arena.allocator.slabByteCount
    let second = try IntegerNode.make(repeating: 3, count: 80, in: arena.allocator)
    expectTrue(second.ref == first.ref || arena.allocator.slabByteCount > used)
    let third = try IntegerNode.make(repeating: 9, count: 40, in: arena.allocator)
    expectTrue([second.ref, third.ref].contains(first.ref))
    expectTrue(arena.allocator.freedBlocks.isEmpty)
  }

  @Test func freeingATreeThatRefersToItselfThrows() throws {
    let arena = try Arena()
    let node = try IntegerNode.make([0], flags: .hasRefs, in: arena.allocator)
    node.store(node.ref.slot, at: 0)
    #expect(throws: StorageError.self) { try arena.allocator.freeTree(node.ref) }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func editsMatchAnArray(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let arena = try Arena()
    var model: [Int64] = []
    var ref = try IntegerNode.make(in: arena.allocator).ref
    for step in 0..<2_000 {
      let value =
        Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let index =
          Bool.random(using: &random) ? model.count : .random(in: 0...model.count, using: &random)
        // Small values for the first half, so that the narrow widths are edited too.
        let small = step < 1_000 ? value & 3 : value
        model.insert(small, at: index)
        ref = try IntegerNode.insert(small, at: index, in: ref, arena.allocator)
      case 4..<7 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &random)
        let small = step < 1_000 ? value & 15 : value
        model[index] = small
        ref = try IntegerNode.set(small, at: index, in: ref, arena.allocator)
      case 7..<9 where !model.isEmpty:
        let index = Int.random(in: 0..<model.count, using: &random)
        model.remove(at: index)
        ref = try IntegerNode.remove(at: index, from: ref, arena.allocator)
      case 9 where model.count > 100:
        model.removeLast(50)
        ref = try IntegerNode.truncate(to: model.count, ref, arena.allocator)
      default: break
      }
      try expectEqual(arena.allocator.node(at: ref).count, model.count)
    }
    try expectEqual(arena.elements(ref), model, "seed \(seed)")
  }

  /// The bytes of a node and of its header.
  private func image(_ node: MutableNode) -> [UInt8] {
    Array(
      UnsafeRawBufferPointer(start: node.address, count: node.capacityByteCount + 8))
  }

  /// A node that is full after an insertion changes nothing of the one behind it.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7]) func elementsMoveWithinTheirNode(code: Int) throws {
    let arena = try Arena()
    let room = 64 / ((1 << code) >> 1)
    let value: Int64 = [1, 2, 5, 100, 1_000, 1 << 20, 1 << 40][code - 1]
    let other: Int64 = [0, 1, 9, -3, -3, -3, -3][code - 1]
    var model = [value] + [Int64](repeating: other, count: max(room - 2, 0))
    let node = try IntegerNode.make(model, in: arena.allocator)
    let behind = try IntegerNode.make([7, 7, 7], in: arena.allocator)
    expectEqual(behind.ref.offset, node.ref.offset + 16)
    let before = image(behind)
    if code < 7 {
      try expectEqual(IntegerNode.insert(value, at: 0, in: node.ref, arena.allocator), node.ref)
      model.insert(value, at: 0)
    }
    expectEqual(image(behind), before)
    try expectEqual(arena.elements(node.ref), model)
    try expectEqual(IntegerNode.remove(at: 0, from: node.ref, arena.allocator), node.ref)
    expectEqual(image(behind), before)
    try expectEqual(arena.elements(node.ref), Array(model.dropFirst()))
  }

  /// The count of a node has 24 bits.
  @Test func aNodeHasNoMoreElementsThanItsHeaderCanSay() throws {
    let scratch = try ScratchSpace()
    let count = NodeHeader.maximumCount
    let header = NodeHeader(flags: [], layout: .bits, widthCode: 0, count: count - 1)
    let ref = try scratch.allocator.allocate(header, capacity: 0).ref
    try expectEqual(IntegerNode.grown(ref, toHold: 0, count: count, scratch.allocator).ref, ref)
    let error = #expect(throws: StorageError.self) {
      try IntegerNode.grown(ref, toHold: 0, count: count + 1, scratch.allocator)
    }
    guard case .limitExceeded = error else { throw error ?? .corrupted("no limit") }
  }

  /// The memory of nodes of 8 KiB and more is not kept for others, as such sizes hardly come again.
  @Test func memoryOfSmallNodesIsUsedAgain() throws {
    let arena = try Arena()
    let largest = 1_025
    for units in [2, 3, 1_024, largest, largest + 1] {
      let count = units - 1
      let header = NodeHeader(flags: [], layout: .bits, widthCode: 7, count: count)
      let node = try arena.allocator.allocate(header, capacity: count * 8)
      for index in 0..<count { node.store(Int64(units), at: index) }
      try arena.allocator.free(node.ref)
      let isKept = units < largest
      // Kept memory is chained through its first word.
      expectEqual(node.node.uncheckedInteger(at: 0) == Int64(units), !isKept)
      let next = try arena.allocator.allocate(header, capacity: count * 8)
      expectEqual(next.ref == node.ref, isKept)
    }
  }
}
