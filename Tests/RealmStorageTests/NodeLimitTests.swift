// SPDX-License-Identifier: Apache-2.0

// The allocator, the space of nodes and the checksums at their limits.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct NodeLimitTests {
  private static let fileByteCount = 4096
  private let reservation: AddressReservation

  init() throws {
    reservation = try AddressReservation(
      path: "limits", fileCapacity: 1 << 16, slabCapacity: 1 << 20, minimumFileCapacity: 1 << 16)
    mprotect(reservation.base, 1 << 16, PROT_READ | PROT_WRITE)
  }

  /// A file and a slab of so many bytes.
  private func space(slab byteCount: Int) -> NodeSpace {
    NodeSpace(
      base: UnsafeRawPointer(reservation.base), fileEnd: Self.fileByteCount,
      slabStart: reservation.fileCapacity, slabEnd: reservation.fileCapacity + byteCount)
  }

  private func put(_ header: NodeHeader, at offset: Int) {
    reservation.base.storeBytes(of: header.bits, toByteOffset: offset, as: UInt64.self)
  }

  private func words(_ count: Int) -> NodeHeader {
    NodeHeader(flags: [], layout: .bits, widthCode: 7, count: count)
  }

  // MARK: Allocation

  /// `NodeAllocator` 1: the slab is used to its last word.
  @Test(arguments: [(6, true), (7, true), (8, false)]) func theSlabIsUsedToItsEnd(
    count: Int, hasRoom: Bool
  ) throws {
    let allocator = NodeAllocator(space: space(slab: 128))
    _ = try allocator.allocate(words(7), capacity: 0)
    expectEqual(allocator.slabByteCount, 64)
    if hasRoom {
      let node = try allocator.allocate(words(count), capacity: 0)
      try expectEqual(allocator.node(at: node.ref).count, count)
      expectTrue(allocator.isWritable(node.ref))
    } else {
      #expect(throws: StorageError.self) { try allocator.allocate(words(count), capacity: 0) }
    }
    withExtendedLifetime(reservation) {}
  }

  @Test func nodesHaveALargestLength() throws {
    let scratch = try ScratchSpace()
    let header = words(1)
    let most = NodeAllocator.nodeByteLimit - NodeHeader.byteCount
    let node = try scratch.allocator.allocate(header, capacity: most)
    expectEqual(node.capacityByteCount, most)
    #expect(throws: StorageError.self) {
      try scratch.allocator.allocate(header, capacity: most + 1)
    }
  }

  /// What lies behind the last node is nobody's, sealed or not.
  @Test func whatIsNotAllocatedIsRefused() throws {
    let allocator = NodeAllocator(space: space(slab: 1 << 16))
    let first = try allocator.allocate(words(2), capacity: 0)
    let end = Ref(first.ref.offset + 24)
    expectFalse(allocator.isWritable(end))
    #expect(throws: StorageError.self) { try allocator.free(end) }
    #expect(throws: StorageError.self) { try allocator.makeWritable(end) }
    allocator.seal()
    expectFalse(allocator.isWritable(first.ref))
    expectFalse(allocator.isWritable(end))
    #expect(throws: StorageError.self) { try allocator.free(end) }
    // The sealed one is copied, and is no node of the file.
    let copy = try allocator.makeWritable(first.ref)
    expectEqual(copy.ref, end)
    expectTrue(allocator.freedBlocks.isEmpty)
    expectTrue(allocator.isWritable(copy.ref))
    withExtendedLifetime(reservation) {}
  }

  /// A claim of elements that the file cannot have is not made room for.
  @Test(arguments: [(512_000, true), (512_001, false)])
  func nodesHaveNoMoreElementsThanTheirFile(count: Int, isPossible: Bool) throws {
    let allocator = NodeAllocator(space: space(slab: 1 << 20))
    let ref = Ref(24)
    put(NodeHeader(flags: [], layout: .bits, widthCode: 0, count: count), at: 24)
    if isPossible {
      let set = try IntegerNode.set(1, at: count - 1, in: ref, allocator)
      try expectEqual(allocator.node(at: set).integer(at: count - 1), 1)
    } else {
      #expect(throws: StorageError.impossibleCount(count, of: ref)) {
        try IntegerNode.set(1, at: count - 1, in: ref, allocator)
      }
    }
    withExtendedLifetime(reservation) {}
  }

  /// Eight elements without bits may be in each byte of a file that is read at once.
  @Test(arguments: [(32_768, true), (32_769, false)])
  func elementsReadAtOnceFitTheFile(count: Int, isRead: Bool) throws {
    let space = NodeSpace(
      base: UnsafeRawPointer(reservation.base), fileEnd: Self.fileByteCount)
    put(NodeHeader(flags: [], layout: .bits, widthCode: 0, count: count), at: 24)
    func all() throws -> [Int64] {
      try BTree<IntegerLeaf>.all(of: Ref(24), in: space, as: Int64.self)
    }
    if isRead {
      try expectEqual(all(), [Int64](repeating: 0, count: count))
    } else {
      #expect(throws: StorageError.self) { try all() }
    }
    withExtendedLifetime(reservation) {}
  }

  /// `NodeVerifier` 2: also the last word of a file may be a node.
  @Test(arguments: [4096, 4088, 4608]) func everyPlaceIsVerified(fileEnd: Int) throws {
    let space = NodeSpace(base: UnsafeRawPointer(reservation.base), fileEnd: fileEnd)
    let verifier = try NodeVerifier(space, path: "limits")
    for place in [24, 512, fileEnd - 8] {
      put(words(0), at: place)
      for _ in 0..<2 { try expectEqual(verifier.node(at: Ref(place)).count, 0) }
      NodeChecksum.store(in: reservation.base + place, at: place + 8)
      let other = try NodeVerifier(space, path: "limits")
      #expect(throws: StorageError.self) { try other.node(at: Ref(place)) }
    }
    withExtendedLifetime(reservation) {}
  }

  /// Sums of offsets are changed from an element on, and nothing is behind the last.
  @Test func offsetsAreShiftedUpToTheEnd() throws {
    let allocator = NodeAllocator(space: space(slab: 1 << 16))
    let ref = try IntegerNode.make([1, 2, 100], in: allocator).ref
    try expectEqual(IntegerNode.add(.max, from: 3, in: ref, allocator), ref)
    try expectEqual(IntegerNode.add(.max, from: 4, in: ref, allocator), ref)
    try expectEqual(IntegerNode.add(27, from: 2, in: ref, allocator), ref)
    let wide = try IntegerNode.add(1, from: 0, in: ref, allocator)
    try expectEqual(
      (0..<3).map { try allocator.node(at: wide).integer(at: $0) }, [2, 3, 128])
    #expect(throws: StorageError.self) { try IntegerNode.add(1, from: -1, in: ref, allocator) }
    #expect(throws: StorageError.self) { try IntegerNode.add(.max, from: 2, in: wide, allocator) }
    let empty = try IntegerNode.make([], in: allocator).ref
    try expectEqual(IntegerNode.add(.max, from: 0, in: empty, allocator), empty)
    withExtendedLifetime(reservation) {}
  }

  /// Several elements are removed and cut off, up to all.
  @Test func elementsAreRemovedUpToTheEnd() throws {
    let allocator = NodeAllocator(space: space(slab: 1 << 16))
    func make() throws -> Ref { try IntegerNode.make([1, 2, 3, 4], in: allocator).ref }
    for (index, count, left) in [
      (0, 4, []), (1, 3, [1]), (4, 0, [1, 2, 3, 4]), (0, 1, [2, 3, 4]),
    ]
      as [(Int, Int, [Int64])]
    {
      let ref = try IntegerNode.remove(at: index, count: count, from: make(), allocator)
      let node = try allocator.node(at: ref)
      try expectEqual((0..<node.count).map { try node.integer(at: $0) }, left)
    }
    for (index, count) in [(0, 5), (1, 4), (4, 1), (-1, 1), (0, -1), (5, 0)] {
      #expect(throws: StorageError.self, "\(index), \(count)") {
        try IntegerNode.remove(at: index, count: count, from: make(), allocator)
      }
    }
    for count in [0, 4] {
      let ref = try IntegerNode.truncate(to: count, make(), allocator)
      try expectEqual(allocator.node(at: ref).count, count)
    }
    for count in [-1, 5] {
      #expect(throws: StorageError.self) { try IntegerNode.truncate(to: count, make(), allocator) }
    }
    withExtendedLifetime(reservation) {}
  }

  // MARK: Packing

  /// Numbers at the end of a node are set apart if it has more than eight slots, and no ref but the
  /// first.
  @Test func numbersAtTheEndAreSetApart() throws {
    let allocator = NodeAllocator(space: space(slab: 1 << 16))
    for (count, last, start, code) in [
      (8, 3, 8, 0), (9, 3, 1, 2), (9, 4, 9, 0), (9, 127, 1, 4), (9, 129, 1, 5), (9, -1, 1, 4),
      (9, -127, 1, 4), (9, -129, 1, 5), (40, 1, 1, 1),
    ] as [(Int, Int64, Int, Int)] {
      var slots = [Int64](repeating: 1, count: count)
      slots[0] = 24
      slots[count - 1] = last
      let node = try IntegerNode.make(slots, flags: .hasRefs, in: allocator).node
      let numbers = node.numbersAtEnd
      expectEqual(numbers.start, start, "\(count), \(last)")
      expectEqual(numbers.widthCode, code, "\(count), \(last)")
    }
    withExtendedLifetime(reservation) {}
  }

  // MARK: Checksums

  private static let placeholder: UInt32 = 0x41_4141

  /// A checksum differs from what stands for none in more than one bit.
  @Test func checksumsAreFarFromNone() {
    for bit in 0..<24 {
      let near = Self.placeholder ^ 1 << UInt32(bit)
      for value in [near, Self.placeholder, near ^ 0x3, Self.placeholder ^ 0x3] {
        let spoiled = NodeChecksum.spoiled(value)
        expectTrue(spoiled != value)
        expectTrue((spoiled ^ Self.placeholder).nonzeroBitCount > 1, "\(value)")
        let folded = NodeChecksum.folded(UInt64(value))
        expectTrue((folded ^ Self.placeholder).nonzeroBitCount > 1, "\(value)")
      }
      let far = Self.placeholder ^ 0x1 ^ 2 << UInt32(bit % 22 + 1)
      expectEqual(NodeChecksum.folded(UInt64(far)), far)
    }
  }

  /// A payload of words that are all different.
  private static func payload(_ count: Int) -> [UInt64] {
    (0..<UInt64(count)).map { ($0 + 1) &* 0x0123_4567_89AB_CDEF }
  }

  /// Checksums are what the format says: of so many words at 64, computed by another program.
  @Test func checksumsDoNotChange() {
    let values: [(Int, UInt32)] = [
      (1, 0x57_558D), (2, 0x20_DD65), (3, 0xC1_8BFD), (4, 0xF4_0B53), (5, 0xF2_3E5F),
      (6, 0x0C_A7E3), (7, 0xE1_1CE4), (8, 0xD3_40CE), (9, 0xE0_C470), (10, 0xA5_5E62),
      (11, 0xD1_BFA2), (12, 0x8D_04B3), (20, 0xDF_D85E), (33, 0x7C_E6A9),
    ]
    for (count, expected) in values {
      let found = Self.payload(count).withUnsafeBytes { bytes in
        bytes.baseAddress.map {
          NodeChecksum.value(ofUnpadded: $0, words(count), at: 64)
        }
      }
      expectEqual(found, expected, "\(count) words")
    }
  }

  /// Nodes of earlier builds are whole, too, and damage to them is found: one to twelve words at
  /// 64, computed by another program.
  @Test func earlierChecksumsStayValid() {
    let values: [UInt32] = [
      0xE1_EF8E, 0x2B_B6A4, 0x17_C35D, 0x98_CC92, 0x1B_3F22, 0x5A_A23E, 0xBB_7342, 0x22_AFAB,
      0xBA_70D7, 0xD0_5B5B, 0x15_59E7, 0xF3_F603,
    ]
    for (index, checksum) in values.enumerated() {
      let header = words(index + 1).with(checksum: checksum)
      var node = [header.bits] + Self.payload(index + 1)
      func state(at position: Int = 64) -> NodeChecksum.State? {
        node.withUnsafeBytes { bytes in
          bytes.baseAddress.map { NodeChecksum.state(of: $0, header, at: position) }
        }
      }
      expectEqual(state(), .matching, "\(index + 1) words")
      expectEqual(state(at: 72), .different)
      for place in node.indices.dropFirst() {
        node[place] ^= 1 << 40
        expectEqual(state(), .different, "word \(place) of \(index + 1)")
        node[place] ^= 1 << 40
      }
    }
  }

  /// Each byte of a node counts, and its place; with and without what pads it.
  @Test(arguments: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17, 20])
  func everyByteOfANodeCounts(wordCount: Int) throws {
    let byteCount = 8 + 8 * wordCount
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
    defer { memory.deallocate() }
    for index in 8..<byteCount {
      memory.storeBytes(
        of: UInt8(truncatingIfNeeded: index * 7), toByteOffset: index, as: UInt8.self)
    }
    let header = words(wordCount)
    memory.storeBytes(of: header.bits, as: UInt64.self)
    func value(at position: Int = 64) -> UInt32 {
      NodeChecksum.value(of: memory, header, at: position)
    }
    let first = value()
    expectEqual(NodeChecksum.value(ofUnpadded: memory + 8, header, at: 64), first)
    expectTrue(value(at: 72) != first)
    for index in 8..<byteCount {
      let old = memory.load(fromByteOffset: index, as: UInt8.self)
      memory.storeBytes(of: old ^ 0x10, toByteOffset: index, as: UInt8.self)
      expectTrue(value() != first, "byte \(index) of \(byteCount)")
      memory.storeBytes(of: old, toByteOffset: index, as: UInt8.self)
    }
    let longer = NodeHeader(flags: [], layout: .bytes, widthCode: 1, count: wordCount * 8)
    expectTrue(NodeChecksum.value(of: memory, longer, at: 64) != first)
    // What is stored is found, and something else is not.
    NodeChecksum.store(in: memory, at: 64)
    let stored = NodeHeader(bits: memory.load(as: UInt64.self))
    expectEqual(NodeChecksum.state(of: memory, stored, at: 64), .matching)
    expectEqual(NodeChecksum.state(of: memory, stored, at: 72), .different)
    expectEqual(NodeChecksum.state(of: memory, header, at: 64), .missing)
  }

  /// Files of old formats have a capacity in place of a checksum, no smaller than the node.
  @Test func oldNodesHaveACapacity() {
    let header = words(1)
    let node = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
    defer { node.deallocate() }
    node.initializeMemory(as: UInt8.self, repeating: 5, count: 16)
    func state(_ bytes: [UInt8]) -> NodeChecksum.State {
      let word = bytes.enumerated().reduce(UInt64(0)) { $0 | UInt64($1.element) << (8 * $1.offset) }
      let bits = header.bits & ~0xFFFF_FFFF | word
      node.storeBytes(of: bits, as: UInt64.self)
      return NodeChecksum.state(of: node, NodeHeader(bits: bits), at: 24)
    }
    for (bytes, expected) in [
      ([0, 0, 16, 0], .missing), ([0, 0, 24, 0], .missing), ([0, 0, 8, 0], .different),
      ([0, 0, 20, 0], .different), ([0, 1, 0, 0], .missing), ([0, 0, 16, 1], .different),
      ([1, 1, 1, 1], .missing), ([0, 0, 0, 0], .missing), ([1, 1, 1, 2], .different),
      ([0x41, 0x41, 0x41, 0x41], .missing), ([0x41, 0x41, 0x41, 0x42], .different),
      ([0x40, 0x41, 0x41, 0x41], .different),
    ] as [([UInt8], NodeChecksum.State)] {
      expectEqual(state(bytes), expected, "\(bytes)")
    }
  }
}
