// SPDX-License-Identifier: Apache-2.0

// Free blocks: who may reuse what, and where nodes may go.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct FreeSpaceTests {
  private let section = FreeSpace.sectionByteCount

  private func block(_ position: Int, _ byteCount: Int, _ tag: UInt64 = 0) -> FreeBlock {
    FreeBlock(position: position, byteCount: byteCount, tag: tag)
  }

  /// `FreeSpace` 2.
  @Test func blocksWaitForTheirReaders() {
    var space = FreeSpace(
      blocks: [block(24, 8), block(32, 16, 5), block(48, 8, 6), block(64, 8, 7)], logicalSize: 4096)
    space.expire(pinned: [5, 9])
    expectEqual(space.blocks, [block(24, 24), block(48, 8, 6), block(64, 8, 7)])
    expectEqual(space.take(wanted: 24, needed: 16, from: .low), 24..<48)
    expectEqual(space.take(wanted: 8, needed: 8, from: .low), nil)
    space.expire(pinned: [9])
    expectEqual(space.blocks, [block(48, 8), block(64, 8)])
  }

  /// A block that lived only between two pinned versions is of no use to either.
  /// `FreeSpace` 2.
  @Test func blocksBornAfterTheReaderAreReused() throws {
    var space = FreeSpace(blocks: [block(24, 400)], logicalSize: 4096)
    expectEqual(space.take(wanted: 400, needed: 400, from: .low), 24..<424)
    space.noteWritten([24..<424], version: 6)
    try space.add(freed: [.init(offset: 24, byteCount: 40)], tag: 8)
    try space.add(freed: [.init(offset: 424, byteCount: 40)], tag: 8)
    space.expire(pinned: [5, 7, 8])
    expectEqual(space.take(wanted: 8, needed: 8, from: .low), nil)
    space.expire(pinned: [5, 8])
    expectEqual(space.take(wanted: 40, needed: 8, from: .low), 24..<64)
    expectEqual(space.take(wanted: 8, needed: 8, from: .low), nil)
  }

  /// `FreeSpace` 1.
  @Test func doubleUseIsDamage() {
    var space = FreeSpace(blocks: [block(24, 16), block(64, 16)], logicalSize: 4096)
    for freed in [24, 32, 56, 72] {
      #expect(throws: StorageError.self) {
        try space.add(freed: [.init(offset: freed, byteCount: 16)], tag: 3)
      }
    }
    #expect(throws: StorageError.self) {
      let freed = (0..<20).map { _ in NodeAllocator.FreedBlock(offset: 200, byteCount: 16) }
      try space.add(freed: freed, tag: 3)
    }
    expectEqual(space.blocks, [block(24, 16), block(64, 16)])
  }

  @Test func theBestBlockIsTaken() throws {
    var space = FreeSpace(
      blocks: [block(24, 1000), block(2048, 104), block(4096, 504)], logicalSize: 8192)
    expectEqual(space.take(wanted: 96, needed: 8, from: .low), 2048..<2144)
    try space.giveBack(2048..<2144)
    expectEqual(space.take(wanted: 96, needed: 8, from: .high), 2056..<2152)
    expectEqual(space.take(wanted: 2000, needed: 8, from: .high), 24..<1024)
    expectEqual(space.take(wanted: 2000, needed: 600, from: .high), nil)
    try space.giveBack(24..<1024)
    try space.giveBack(2056..<2152)
    expectEqual(space.blocks, [block(24, 1000), block(2048, 104), block(4096, 504)])
    expectEqual(space.take(80, at: 2048), 2048..<2128)
    expectEqual(space.take(80, at: 2128), nil)
    expectEqual(space.takeLane(80, room: 1008), nil)
    expectEqual(space.takeLane(80, room: 600), 24..<104)
    expectEqual(space.takeLane(80, room: 120), 4344..<4424)
    expectEqual(space.freeByteCount, 1000 + 104 + 504 - 240)
  }

  /// `NodePlacement` 1.
  @Test func nothingCrossesASection() throws {
    var space = FreeSpace(blocks: [block(section - 1024, 4096)], logicalSize: section + 8192)
    expectEqual(space.take(wanted: 2048, needed: 2048, from: .low), section..<section + 2048)
    expectEqual(space.blocks, [block(section - 1024, 1024), block(section + 2048, 1024)])
    expectEqual(space.take(wanted: 2048, needed: 2048, from: .high), nil)
    try space.giveBack(section..<section + 2048)
    expectEqual(space.take(2048, at: section - 1024), nil)
    expectEqual(space.take(1024, at: section - 1024), section - 1024..<section)
    try space.grow(to: space.grownSize(for: 8192, pageSize: 4096))
    expectTrue(space.take(wanted: 8192, needed: 8192, from: .low) != nil)
  }

  /// The end of a file is emptied down to three halves of what lives, and not below.
  @Test func theEndIsEmptiedDownToTheTarget() {
    let (live, size) = (100 << 10, 512 << 10)
    var space = FreeSpace(blocks: [block(live, size - live)], logicalSize: size)
    space.startEvacuationIfNeeded()
    // The windows have 32 KiB.
    expectEqual(space.evacuation?.limit, 160 << 10)
  }

  @Test func aTailGoesInWholePages() {
    let before = FreeSpace(blocks: [block(4_096, 4_096)], logicalSize: 8_192)
    var space = before
    space.trimTail(reserve: 64, pageSize: 4_096)
    expectEqual(space.logicalSize, 8_192)
    expectEqual(space.blocks, before.blocks)
    expectTrue(!space.hasExcess)
    space.trimTail(reserve: 64, pageSize: 1_024)
    expectEqual(space.logicalSize, 5_120)
    expectEqual(space.blocks, [block(4_096, 1_024)])
    expectTrue(space.hasExcess)
  }

  @Test func theVersionOfABlockIsThatOfItsLastWriter() {
    var random = SeededGenerator(seed: 1)
    var map = BlockVersionMap()
    var model = [UInt64](repeating: 0, count: 200)
    for version in 1...400 as ClosedRange<UInt64> {
      let start = Int.random(in: 0..<190, using: &random)
      let end = Int.random(in: start...min(200, start + 40), using: &random)
      map.insert(start..<end, version: version)
      for position in start..<end { model[position] = version }
      expectEqual((0..<200).map(map.version(at:)), model)
    }
  }

  /// Thousands of commits beside one old reader: the file holds the data of both, not of all.
  /// `FreeSpace` 2.
  @Test func anOldReaderDoesNotMakeTheFileGrow() throws {
    let file = try DatabaseFile.open(
      path: "growth-\(UUID().uuidString)", options: OpenOptions(isInMemory: true))
    var numbers = (0..<3000).map { Int64($0) << 32 }
    var write = try file.beginWrite()
    try NumberTree.replace(with: numbers, in: write)
    let old = try write.commit(changeset: [])
    let original = numbers
    let commits = 1500
    let byteCount = try file.fileByteCount()
    for step in 0..<commits {
      numbers[step * 7919 % numbers.count] &+= 1
      write = try file.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      _ = try write.commit(changeset: [1, 2, 3])
    }
    let grown = try file.fileByteCount()
    expectTrue(grown < 3 * byteCount + 64 * commits, "from \(byteCount)")
    try expectEqual(NumberTree.numbers(of: old), original)
    try expectEqual(NumberTree.numbers(of: try file.snapshot()), numbers)
    try expectEqual(file.check(), [])
    try expectEqual(file.check(old).filter { $0.check < 12 }, [])
  }
}
