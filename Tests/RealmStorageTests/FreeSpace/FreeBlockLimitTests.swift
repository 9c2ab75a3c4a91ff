// SPDX-License-Identifier: Apache-2.0

// Lists of free blocks at their limits: full chunks, and blocks that are just long enough.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct FreeBlockLimitTests {
  private func block(
    _ position: Int, _ byteCount: Int, _ tag: UInt64 = 0, writtenBy version: UInt64 = 0
  ) -> FreeBlock {
    FreeBlock(position: position, byteCount: byteCount, tag: tag, writtenVersion: version)
  }

  /// Blocks of 8 bytes with 8 used ones behind each.
  private func list(_ count: Int) -> FreeBlockList {
    FreeBlockList((0..<count).map { block(24 + 16 * $0, 8) })
  }

  /// The positions of `chunk`'s first blocks are taken out.
  private func remove(_ count: Int, from chunk: Int, of list: inout FreeBlockList) {
    for _ in 0..<count {
      let place = FreeBlockList.Place(chunk: chunk, index: 0)
      list.carve(list[place].position..<list[place].end, outOf: place)
    }
  }

  @Test func theOrderOfBlocksIsChecked() {
    for (blocks, isInOrder) in [
      ([], true), ([block(24, 8)], true), ([block(24, 8), block(32, 8)], true),
      ([block(24, 16), block(32, 8)], false), ([block(32, 8), block(24, 8)], false),
      ([block(24, 0)], false), ([block(28, 8)], false), ([block(24, 12)], false),
    ] {
      expectEqual(FreeBlockList.isInOrder(blocks), isInOrder, "\(blocks)")
    }
  }

  /// `FreeBlockList` 1: a chunk with as many blocks as it may have is one.
  @Test func aFullChunkIsSplitByTheNextBlock() throws {
    var list = FreeBlockList([])
    for count in 1...FreeBlockList.chunkLimit + 1 {
      try list.insert(block(24 + 32 * count, 16))
      expectEqual(list.chunks.count, count <= FreeBlockList.chunkLimit ? 1 : 2, "\(count) blocks")
    }
    list = FreeBlockList([block(1 << 20, 64)])
    for count in 2...FreeBlockList.chunkLimit { try list.insert(block(24 + 32 * count, 16)) }
    expectEqual(list.chunks.count, 1)
    let last = try #require(list.run(at: 1 << 20))
    list.carve(last.piece.lowerBound + 16..<last.piece.lowerBound + 24, outOf: last.place)
    expectEqual(list.count, FreeBlockList.chunkLimit + 1)
    expectEqual(list.chunks.count, 2)
  }

  @Test func aChunkThatIsCutIntoALastBlockIsNotSplit() throws {
    var list = FreeBlockList([block(1 << 20, 64)])
    for count in 2..<FreeBlockList.chunkLimit { try list.insert(block(24 + 32 * count, 16)) }
    let last = try #require(list.run(at: 1 << 20))
    list.carve(last.piece.lowerBound + 16..<last.piece.lowerBound + 24, outOf: last.place)
    expectEqual(list.count, FreeBlockList.chunkLimit)
    expectEqual(list.chunks.count, 1)
  }

  /// Neighbours that together have less than half of what a chunk may have become one.
  @Test(arguments: [(62, 2), (63, 2), (64, 1), (65, 1)])
  func smallChunksAreJoined(removed: Int, chunks: Int) {
    var list = list(FreeBlockList.chunkLimit)
    expectEqual(list.chunks.count, 2)
    remove(64, from: 0, of: &list)
    remove(removed, from: 1, of: &list)
    let blocks = list.blocks
    list.retag { _ in nil }
    expectEqual(list.chunks.count, chunks)
    expectEqual(list.blocks, blocks)
    expectEqual(list.count, blocks.count)
  }

  /// Chunks behind one that went move forward, each once.
  @Test func chunksBehindJoinedOnesKeepTheirOrder() {
    var list = list(7 * FreeBlockList.chunkLimit / 2)
    for chunk in [1, 2, 4] { remove(100, from: chunk, of: &list) }
    let blocks = list.blocks
    list.retag { _ in nil }
    expectEqual(list.blocks, blocks)
    expectEqual(list.chunks.count, 6)
  }

  /// A change of tags looks at chunks that have one, and leaves the blocks of others as they are.
  @Test func chunksWithoutTagsAreLeftAlone() throws {
    var list = FreeBlockList([block(24, 8)])
    try list.insert(block(32, 8), merging: false)
    list.retag { _ in 0 }
    expectEqual(list.count, 2)
    try list.insert(block(64, 8, 3))
    list.retag { _ in 0 }
    expectEqual(list.blocks, [block(24, 16), block(64, 8)])
  }

  @Test func blocksThatAreJustLongEnoughAreFound() throws {
    let list = FreeBlockList([block(24, 64), block(104, 24), block(200, 40)])
    for (wanted, needed, found) in [
      (64, 64, 24..<88), (24, 24, 104..<128), (40, 40, 200..<240), (32, 8, 200..<240),
      (48, 8, 24..<88), (48, 48, 24..<88), (72, 64, 24..<88), (16, 16, 104..<128),
    ] {
      expectEqual(list.bestFit(wanted: wanted, needed: needed)?.piece, found, "\(wanted)")
    }
    expectTrue(list.bestFit(wanted: 72, needed: 72) == nil)
    expectTrue(list.bestFit(wanted: 65, needed: 65) == nil)
    expectTrue(list.run(at: 240) == nil)
    expectTrue(list.run(at: 1 << 20) == nil)
    expectTrue(list.run(at: 32) == nil)
    expectTrue(FreeBlockList([]).run(at: 24) == nil)
  }

  /// The first of several that fit alike is taken, in whichever chunk they are.
  @Test func theFirstOfBlocksOfOneLengthIsFound() throws {
    var list = list(FreeBlockList.chunkLimit)
    try list.insert(block(1 << 20, 80))
    try list.insert(block(2 << 20, 80))
    for (wanted, needed, position) in [
      (8, 8, 24), (16, 8, 1 << 20), (80, 16, 1 << 20), (160, 8, 1 << 20), (80, 80, 1 << 20),
    ] {
      let found = try #require(list.bestFit(wanted: wanted, needed: needed))
      expectEqual(found.piece.lowerBound, position, "\(wanted), \(needed)")
    }
  }

  /// A run ends where its section ends, and begins with the next.
  @Test func runsEndWithTheirSection() throws {
    let section = FreeSpace.sectionByteCount
    let list = FreeBlockList([block(section - 64, 128), block(2 * section, 64)])
    expectEqual(list.bestFit(wanted: 128, needed: 8)?.piece, section - 64..<section)
    expectTrue(list.bestFit(wanted: 72, needed: 72) == nil)
    expectEqual(list.run(at: section - 64)?.piece, section - 64..<section)
    expectEqual(list.run(at: 2 * section)?.piece, 2 * section..<2 * section + 64)
  }

  /// What is put beside its neighbours is one with them, and nothing lies on them.
  @Test func neighboursMeetAndDoNotOverlap() throws {
    let blocks = [block(24, 8), block(64, 8), block(104, 8)]
    for (added, expected) in [
      (block(32, 8), [block(24, 16), block(64, 8), block(104, 8)]),
      (block(32, 32), [block(24, 48), block(104, 8)]),
      (block(56, 8), [block(24, 8), block(56, 16), block(104, 8)]),
      (block(72, 8), [block(24, 8), block(64, 16), block(104, 8)]),
      (block(112, 8), [block(24, 8), block(64, 8), block(104, 16)]),
      (block(8, 16), [block(8, 24), block(64, 8), block(104, 8)]),
      (block(32, 8, 5), [block(24, 8), block(32, 8, 5), block(64, 8), block(104, 8)]),
    ] {
      var list = FreeBlockList(blocks)
      try list.insert(added)
      expectEqual(list.blocks, expected)
      expectEqual(list.count, expected.count)
    }
    for wrong in [block(16, 16), block(24, 8), block(56, 16), block(96, 16), block(104, 8)] {
      var list = FreeBlockList(blocks)
      #expect(throws: StorageError.self) { try list.insert(wrong) }
      expectEqual(list.byteCount, 24)
    }
  }

  /// The first block of each chunk is found where it is.
  @Test func theFirstBlocksOfChunksAreFound() throws {
    let list = list(3 * FreeBlockList.chunkLimit / 2)
    expectEqual(list.chunks.count, 3)
    for (chunk, blocks) in list.chunks.enumerated() {
      let first = blocks.blocks[0].position
      let place = list.place(from: first)
      expectEqual(place.chunk, chunk)
      expectEqual(place.index, 0)
      expectEqual(list.run(at: first)?.piece, first..<first + 8)
    }
  }

  /// A chunk is looked into whose longest block is exactly what is wanted.
  @Test func aBetterChunkIsLookedInto() throws {
    let half = FreeBlockList.chunkLimit / 2
    for (first, second, found) in [(80, 16, 16), (80, 88, 80), (80, 24, 24), (8, 16, 16)] {
      var blocks = (0..<2 * half).map { block(24 + 128 * $0, 8) }
      blocks[5].byteCount = first
      blocks[half + 5].byteCount = second
      let list = FreeBlockList(blocks)
      expectEqual(list.chunks.count, 2)
      expectEqual(list.bestFit(wanted: 16, needed: 8)?.piece.count, found, "\(first), \(second)")
    }
  }
}
