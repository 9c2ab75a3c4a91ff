// SPDX-License-Identifier: Apache-2.0

// The chunked list of free blocks against a plain array.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct FreeBlockListTests {
  /// Every unit of 8 bytes of a small file: nil if it is in use, else the tag of its block.
  private struct Model {
    var units: [UInt64?]

    init(count: Int) { units = Array(repeating: 0, count: count) }

    var blocks: [FreeBlock] {
      var blocks: [FreeBlock] = []
      for (index, tag) in units.enumerated() {
        guard let tag else { continue }
        let unit = FreeBlock(position: index * 8, byteCount: 8, tag: tag)
        if blocks.isEmpty || !blocks[blocks.count - 1].absorb(unit) { blocks.append(unit) }
      }
      return blocks
    }

    mutating func set(_ range: Range<Int>, to tag: UInt64?) {
      for unit in range.lowerBound / 8..<range.upperBound / 8 { units[unit] = tag }
    }
  }

  /// `FreeBlockList` 1 and 2.
  @Test(arguments: [1, 2] as [UInt64]) func isWhatAnArrayIs(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let unitCount = 12_000
    var model = Model(count: unitCount)
    var used: [Range<Int>] = []
    var next = 0
    while next < unitCount - 20 {
      let start = next + Int.random(in: 1...12, using: &random)
      next = start + Int.random(in: 1...4, using: &random)
      used.append(start * 8..<next * 8)
      model.set(used[used.count - 1], to: nil)
    }
    var list = FreeBlockList(model.blocks)
    expectTrue(list.chunks.count > 5)
    for step in 1...1500 {
      let wanted = 8 * Int.random(in: 1...(random.chance(0.02) ? 400 : 12), using: &random)
      if random.chance(0.5), let found = list.bestFit(wanted: wanted, needed: 8) {
        expectBest(found.piece, wanted, model, "seed \(seed), step \(step)")
        let count = min(wanted, found.piece.count)
        let piece =
          Bool.random(using: &random)
          ? found.piece.lowerBound..<found.piece.lowerBound + count
          : found.piece.upperBound - count..<found.piece.upperBound
        list.carve(piece, outOf: found.place)
        model.set(piece, to: nil)
        used.append(piece)
      } else if let index = used.indices.randomElement(using: &random) {
        let piece = used.remove(at: index)
        let tag = UInt64(step / 10) * UInt64.random(in: 0...1, using: &random)
        try list.insert(FreeBlock(position: piece.lowerBound, byteCount: piece.count, tag: tag))
        model.set(piece, to: tag)
        #expect(throws: StorageError.self) {
          try list.insert(FreeBlock(position: piece.lowerBound, byteCount: 8, tag: tag))
        }
      }
      if random.chance(0.05) {
        let oldest = UInt64(max(0, step / 10 - Int.random(in: 0...20, using: &random)))
        list.retag { $0.tag <= oldest ? 0 : nil }
        for unit in model.units.indices {
          if let tag = model.units[unit], tag <= oldest { model.units[unit] = 0 }
        }
      }
      if step % 100 == 0 { expectSame(list, model, "seed \(seed), step \(step)") }
    }
  }

  private func expectBest(_ piece: Range<Int>, _ wanted: Int, _ model: Model, _ comment: String) {
    guard piece.count != wanted else { return }
    // Looking at all blocks is slow; a run that is not exact is rare and worth it.
    let lengths = model.blocks.filter(\.isUsable).map(\.byteCount)
    let best = lengths.filter { $0 >= wanted }.min() ?? lengths.max()
    expectEqual(piece.count, best, "\(comment)")
  }

  private func expectSame(_ list: FreeBlockList, _ model: Model, _ comment: String) {
    let expected = model.blocks
    expectEqual(list.blocks, expected, "\(comment)")
    expectEqual(list.count, expected.count)
    expectEqual(list.byteCount, expected.reduce(0) { $0 + $1.byteCount })
    #expect(list.longest >= expected.reduce(0) { max($0, $1.byteCount) })
    expectEqual(list.last, expected.last)
    for (chunk, blocks) in list.chunks.enumerated() {
      expectFalse(blocks.blocks.isEmpty)
      expectTrue(blocks.blocks.count <= FreeBlockList.chunkLimit)
      expectEqual(blocks.taggedCount, blocks.blocks.count { !$0.isUsable }, "chunk \(chunk)")
    }
    for block in [expected.first, expected.last].compactMap(\.self) {
      expectEqual(list[list.place(from: block.position)], block)
      expectEqual((list.run(at: block.position) != nil), block.isUsable)
      expectTrue(list.run(at: block.position + 8) == nil || block.byteCount == 8)
    }
  }

  @Test func packsEveryWidth() {
    for (code, limit) in [(0, 0), (1, 1), (2, 3), (3, 15), (4, 100), (5, 30000), (6, 1 << 30)] {
      let blocks = (0..<700).map {
        FreeBlock(position: $0 * 16, byteCount: 8, tag: UInt64($0 % (limit + 1)))
      }
      let list = FreeBlockList(blocks)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 * 700, alignment: 8)
      defer { memory.deallocate() }
      memory.initializeMemory(as: UInt8.self, repeating: 0, count: 8 * 700)
      list.pack(.tag, to: memory, widthCode: code)
      let values = (0..<700).map { PackedIntegers.load(memory, widthCode: code, at: $0) }
      expectEqual(values, blocks.map { Int64($0.tag) }, "width code \(code)")
      list.pack(.position, to: memory, widthCode: 7)
      expectEqual(PackedIntegers.load(memory, widthCode: 7, at: 699), 699 * 16)
    }
  }
}
