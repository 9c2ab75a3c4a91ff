// SPDX-License-Identifier: Apache-2.0

// Trees of a damaged file that come to the same nodes again and again: whoever walks them stops.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct EndlessTreeTests {
  private static let fileByteCount = 4_096
  private static let claimedCount = 1 << 23
  private let reservation: AddressReservation
  private let space: NodeSpace
  private let root = Ref(24)

  /// Each of eight nodes has the next one twenty times: 25,600 million leaves.
  init() throws {
    reservation = try AddressReservation(
      path: "endless", fileCapacity: 1 << 16, slabCapacity: 1 << 20, minimumFileCapacity: 1 << 16)
    mprotect(reservation.base, 1 << 16, PROT_READ | PROT_WRITE)
    space = NodeSpace(
      base: UnsafeRawPointer(reservation.base), fileEnd: Self.fileByteCount,
      slabStart: reservation.fileCapacity,
      slabEnd: reservation.fileCapacity + reservation.slabCapacity)
    for level in 0...8 {
      let offset = root.offset + level * 48
      let header = NodeHeader(
        flags: level < 8 ? .hasRefs : [], layout: .bits, widthCode: 5, count: 20)
      reservation.base.storeBytes(of: header.bits, toByteOffset: offset, as: UInt64.self)
      for index in 0..<20 {
        reservation.base.storeBytes(
          of: Int16(offset + 48), toByteOffset: offset + 8 + index * 2, as: Int16.self)
      }
    }
  }

  /// No more than the file has is given up.
  @Test func treesAreGivenUpOnce() {
    let allocator = NodeAllocator(space: space)
    #expect(throws: StorageError.corrupted("more nodes are given up than the file has")) {
      try allocator.freeTree(root)
    }
    expectTrue(allocator.freedBlocks.count <= Self.fileByteCount / 8 + 1)
  }

  /// A copy does not become larger than what is copied.
  @Test func copiesAreNotLargerThanTheFile() throws {
    let target = try MemoryFiles.makeFile(named: "copy")
    let readers = NodeSpace(base: space.base, fileEnd: Self.fileByteCount)
    #expect(throws: StorageError.corrupted("a tree of nodes does not end")) {
      try StreamedCopy.write(
        VersionRoots(tables: root), nil, in: readers, to: CopyTarget(target, nil))
    }
    try expectTrue(target.byteCount() <= 2 * Self.fileByteCount)
  }

  /// No tree of the format is 512 nodes deep; one that is deeper is refused.
  @Test(arguments: [(512, true), (513, false)])
  func copiesHaveADepth(nodeCount: Int, isCopied: Bool) throws {
    let scratch = try ScratchSpace()
    var ref = try IntegerNode.make([1], in: scratch.allocator).ref
    for _ in 1..<nodeCount {
      ref = try IntegerNode.make([ref.slot], flags: .hasRefs, in: scratch.allocator).ref
    }
    let names = try IntegerNode.make([], in: scratch.allocator).ref
    let roots = VersionRoots(tableNames: names, tables: ref)
    let target = try CopyTarget(MemoryFiles.makeFile(named: "copy"), nil)
    func copy() throws { try StreamedCopy.write(roots, nil, in: scratch.space, to: target) }
    if isCopied {
      try copy()
    } else {
      #expect(throws: StorageError.corrupted("a tree of nodes does not end")) { try copy() }
    }
  }

  /// A node without bits has no slots to follow, however many it claims; refs have to be integers.
  @Test(arguments: [NodeLayout.bits, .multiply, .bytes])
  func nodesWithoutBitsAreCopied(_ layout: NodeLayout) throws {
    let header = NodeHeader(
      flags: .hasRefs, layout: layout, widthCode: 0, count: layout == .bytes ? 8 : 1 << 20)
    reservation.base.storeBytes(of: header.bits, toByteOffset: root.offset, as: UInt64.self)
    let names = Ref(root.offset + 8 * 48)
    let target = try MemoryFiles.makeFile(named: "copy")
    let readers = NodeSpace(base: space.base, fileEnd: Self.fileByteCount)
    func copy() throws {
      try StreamedCopy.write(
        VersionRoots(tableNames: names, tables: root), nil, in: readers,
        to: CopyTarget(target, nil))
    }
    if layout == .bits {
      try copy()
      try expectTrue(target.byteCount() < 256)
    } else {
      #expect(throws: StorageError.self) { try copy() }
    }
  }

  /// A node without bits takes eight bytes, and no room is made for what it claims.
  @Test func millionsWithoutBitsAreNotWritten() throws {
    func claim(_ layout: NodeLayout) {
      let claimed = NodeHeader(flags: [], layout: layout, widthCode: 0, count: Self.claimedCount)
      reservation.base.storeBytes(of: claimed.bits, toByteOffset: root.offset, as: UInt64.self)
    }
    let allocator = NodeAllocator(space: space)
    let error = StorageError.impossibleCount(Self.claimedCount, of: root)
    claim(.bits)
    #expect(throws: error) { try IntegerNode.set(1, at: 0, in: root, allocator) }
    #expect(throws: error) { try IntegerNode.insert(1, at: 0, in: root, allocator) }
    #expect(throws: error) { try NullableIntegerLeaf.set(1, at: 0, in: root, allocator) }
    #expect(throws: error) { try BTree<IntegerLeaf>.append(1, to: root, allocator) }
    claim(.multiply)
    #expect(throws: error) { try StringLeaf.set(ByteView("a"), at: 0, in: root, allocator) }
    #expect(throws: error) { try DecimalLeaf.set(.zero, at: 0, in: root, allocator) }
    expectTrue(allocator.slabByteCount < Self.fileByteCount)
  }
}
