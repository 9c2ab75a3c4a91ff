// SPDX-License-Identifier: Apache-2.0

// What may be reused, how long a file becomes, and what of it is cut, each at its limit.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct FreeSpaceLimitTests {
  private func block(
    _ position: Int, _ byteCount: Int, _ tag: UInt64 = 0, writtenBy version: UInt64 = 0
  ) -> FreeBlock {
    FreeBlock(position: position, byteCount: byteCount, tag: tag, writtenVersion: version)
  }

  // MARK: Lists of a file

  private func read(
    _ positions: [Int64], _ lengths: [Int64], _ tags: [Int64]?, size: Int
  ) throws -> [FreeBlock] {
    let scratch = try ScratchSpace()
    var top = TopArray()
    top.logicalSize = size
    top.freePositions = try IntegerNode.make(positions, in: scratch.allocator).ref
    top.freeLengths = try IntegerNode.make(lengths, in: scratch.allocator).ref
    if let tags { top.freeVersions = try IntegerNode.make(tags, in: scratch.allocator).ref }
    return try withExtendedLifetime(scratch) { try FreeSpace(top, in: scratch.space).blocks }
  }

  /// `FreeSpace` 1 and 3.
  @Test func blocksReachFromTheHeaderToTheEndOfTheFile() throws {
    try expectEqual(read([24], [72], nil, size: 96), [block(24, 72)])
    try expectEqual(
      read([24, 32, 88], [8, 56, 8], [0, 4, 0], size: 96),
      [block(24, 8), block(32, 56, 4), block(88, 8)])
    for (positions, lengths, tags) in [
      ([16], [8], nil), ([24], [80], nil), ([24], [0], nil), ([24], [-8], nil), ([96], [8], nil),
      ([28], [8], nil), ([24], [12], nil), ([24, 24], [8, 8], nil), ([24, 32], [16, 8], nil),
      ([24], [96], nil), ([24], [104], nil), ([24], [8], [-1]), ([24, 32], [8], nil),
      ([24], [8], [0, 0]),
    ] as [([Int64], [Int64], [Int64]?)] {
      #expect(throws: StorageError.self, "\(positions), \(lengths)") {
        try read(positions, lengths, tags, size: 96)
      }
    }
  }

  /// A list is a node of integers without refs.
  @Test func otherNodesAreNoList() throws {
    let scratch = try ScratchSpace()
    var top = TopArray()
    top.logicalSize = 4096
    top.freePositions = try IntegerNode.make([24], in: scratch.allocator).ref
    let bytes = try scratch.allocator.allocate(
      NodeHeader(flags: [], layout: .bytes, widthCode: 4, count: 1), capacity: 8)
    let refs = try IntegerNode.make([8], flags: .hasRefs, in: scratch.allocator)
    for wrong in [bytes.ref, refs.ref] {
      top.freeLengths = wrong
      #expect(throws: StorageError.self) { try FreeSpace(top, in: scratch.space) }
    }
    withExtendedLifetime(scratch) {}
  }

  // MARK: Readers

  /// A block serves the versions from the one that wrote it to the one before it was freed.
  /// `FreeSpace` 2.
  @Test(
    arguments: [
      ([3, 9], true), ([4, 9], true), ([4, 5, 9], false), ([4, 6, 9], false), ([4, 7, 9], false),
      ([4, 8, 9], true), ([8, 9], true), ([7, 9], false),
    ] as [([UInt64], Bool)])
  func aBlockServesTheVersionsBetween(pinned: [UInt64], isFree: Bool) {
    var space = FreeSpace(blocks: [block(24, 8, 8, writtenBy: 5)], logicalSize: 96)
    space.expire(pinned: pinned)
    expectEqual(space.blocks[0].isUsable, isFree)
  }

  /// Few blocks are put into their chunks; if many are freed, all chunks are made anew.
  @Test(arguments: [(36, false), (37, false), (38, true)])
  func manyFreedBlocksMakeTheChunksAnew(freed: Int, isAnew: Bool) throws {
    let half = FreeBlockList.chunkLimit / 2
    var space = FreeSpace(
      blocks: (0..<300).map { block(65_536 + $0 * 16, 8, 3) }, logicalSize: 1 << 20)
    try space.add(freed: (0..<freed).map { .init(offset: 24 + $0 * 16, byteCount: 8) }, tag: 5)
    let few = [half + freed, half, 300 - 2 * half]
    let many = [half, half, 300 - 2 * half + freed]
    expectEqual(space.list.chunks.map(\.blocks.count), isAnew ? many : few)
    expectEqual(space.list.count, 300 + freed)
  }

  /// What a commit frees is sorted into what was free, whatever lies on which side.
  @Test func freedBlocksAreSortedIn() throws {
    for count in [1, 2, 16, 17, 40] {
      var space = FreeSpace(
        blocks: [block(24, 8), block(4096, 8, 2), block(8192, 8)], logicalSize: 1 << 20)
      var freed: [NodeAllocator.FreedBlock] = []
      for index in 0..<count {
        freed.append(.init(offset: [64, 4200, 9000][index % 3] + index * 16, byteCount: 8))
      }
      freed.append(.init(offset: 4104, byteCount: 8))
      try space.add(freed: freed.reversed(), tag: 2)
      let expected =
        ([block(24, 8), block(4096, 16, 2), block(8192, 8)]
        + freed.dropLast().map { block($0.offset, 8, 2) })
        .sorted { $0.position < $1.position }
      expectEqual(space.blocks, expected, "\(count)")
    }
  }

  /// The record of a commit was written with the version before, and waits for its readers.
  /// `CommitRecord` 1.
  @Test func aRecordIsOfTheVersionBefore() throws {
    var space = FreeSpace(logicalSize: 4096)
    try space.add(record: 64..<128, of: 7)
    expectEqual(space.blocks, [block(64, 64, 7, writtenBy: 6)])
  }

  /// Usable blocks have no writer, so that they are one with their neighbours.
  @Test func whatIsUsableIsNotRecalled() {
    var space = FreeSpace(
      blocks: [block(24, 8), block(48, 8), block(64, 32, 5), block(128, 8, 9)],
      logicalSize: 256)
    var old = FreeSpace(blocks: [block(24, 16)], logicalSize: 128)
    old.noteWritten([40..<72, 72..<88], version: 3)
    space.recall(old, of: 6)
    expectEqual(
      space.blocks,
      [
        block(24, 8), block(48, 8), block(64, 24, 5, writtenBy: 3), block(88, 8, 5),
        block(128, 8, 9, writtenBy: 6),
      ])
  }

  /// What is known of a block is kept while it waits for the same version, and of a block that
  /// could be used before, its writer is the version that freed it since.
  @Test func writersOfTaggedBlocksAreRecalled() {
    var space = FreeSpace(
      blocks: [
        block(24, 8, 5), block(40, 8, 5), block(56, 8, 5), block(72, 8, 7), block(88, 8, 4),
        block(104, 8),
      ], logicalSize: 256)
    let old = FreeSpace(
      blocks: [
        block(24, 8), block(40, 8, 5, writtenBy: 3), block(56, 8, 4, writtenBy: 3), block(72, 8),
        block(88, 8, FreeBlock.heldTag), block(104, 8, 2, writtenBy: 1),
      ], logicalSize: 256)
    space.recall(old, of: 6)
    expectEqual(
      space.blocks,
      [
        block(24, 8, 5, writtenBy: 5), block(40, 8, 5, writtenBy: 3), block(56, 8, 5),
        block(72, 8, 7, writtenBy: 6), block(88, 8, 4, writtenBy: 4), block(104, 8),
      ])
  }

  /// What was written up to a version is forgotten with it, and what came later is not.
  @Test func writersAreForgottenThroughAVersion() {
    var map = BlockVersionMap()
    for version in 4...6 as ClosedRange<UInt64> {
      map.insert(Int(version) * 8..<Int(version) * 8 + 8, version: version)
    }
    map.removeAll(through: 5)
    expectEqual([32, 40, 48].map { map.version(at: $0) }, [0, 0, 6])
  }

  // MARK: Lanes and lengths

  /// A lane begins in the middle of a place that is more than four times as long as its room.
  @Test(arguments: [(4 * 640, 1024), (4 * 640 + 8, 1024 + 2 * 640)])
  func longPlacesAreHalved(byteCount: Int, start: Int) {
    var space = FreeSpace(blocks: [block(1024, byteCount)], logicalSize: 8192)
    expectEqual(space.takeLane(80, room: 640), start..<start + 80)
  }

  /// A file grows by what is missing, up to whole pages, and by a part of its length if there is
  /// room for that.
  @Test func aFileGrowsToWholePages() {
    for (size, tail, wanted, isTight, expected) in [
      (8192, 0, 8, true, 12_288), (8192, 0, 4096, true, 12_288), (8192, 0, 4104, true, 16_384),
      (8192, 4096, 4096, true, 12_288), (8192, 4096, 4104, true, 12_288),
      (8192, 4096, 8192, true, 12_288), (8192, 4096, 8200, true, 16_384),
      (8192, 0, 8, false, 16_384), (65_536, 0, 8, false, 131_072), (4 << 20, 0, 8, false, 5 << 20),
    ] {
      let blocks = tail > 0 ? [block(size - tail, tail)] : []
      let space = FreeSpace(blocks: blocks, logicalSize: size)
      let grown = space.grownSize(for: wanted, isTight: isTight, pageSize: 4096)
      expectEqual(grown, expected, "\(size), \(tail), \(wanted)")
    }
  }

  /// A free end is cut if it is at least twice the reserve, and if a page of it goes.
  @Test func aFreeEndIsCutToItsReserve() {
    for (start, reserve, expected) in [
      (4096, 4096, 8192), (4096, 4104, 12_288), (4104, 4096, 12_288), (4096, 8, 8192),
      (4096, 0, 4096), (4104, 0, 8192), (8192, 2048, 12_288), (8192, 0, 8192),
    ] {
      let size = 12_288
      var space = FreeSpace(blocks: [block(start, size - start)], logicalSize: size)
      space.trimTail(reserve: reserve, pageSize: 4096)
      expectEqual(space.logicalSize, expected, "\(start), \(reserve)")
      expectEqual(space.hasExcess, expected < size)
      expectEqual(space.freeByteCount, expected - start)
    }
  }
}
