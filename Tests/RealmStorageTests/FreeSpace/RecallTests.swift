// SPDX-License-Identifier: Apache-2.0

// What a process knows of free blocks when another one has committed since.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct RecallTests {
  private static let unit = 8
  private static let unitCount = 120
  private static let start = 24

  /// The truth about each unit of a file that several processes write.
  private struct Model {
    /// The version that wrote what is or was there.
    var writers = [UInt64](repeating: 1, count: unitCount)
    /// The version that freed it; nil while it is in use.
    var tags = [UInt64?](repeating: nil, count: unitCount)
    /// The free lists of the newest version, as the file has them.
    var stored: [FreeBlock] = []
    var newest: UInt64 = 1

    /// A version that needs a unit which is listed as usable.
    func reader(of unit: Int, _ pinned: [UInt64]) -> UInt64? {
      guard let tag = tags[unit] else { return newest }
      return pinned.first { writers[unit] <= $0 && $0 < tag }
    }
  }

  private func range(_ units: Range<Int>) -> Range<Int> {
    Self.start + units.lowerBound * Self.unit..<Self.start + units.upperBound * Self.unit
  }

  private func units(_ range: Range<Int>) -> Range<Int> {
    (range.lowerBound - Self.start) / Self.unit..<(range.upperBound - Self.start) / Self.unit
  }

  /// Writers that take turns beside readers never take what a reader needs, nor the record of a
  /// commit while the version before is kept; and they do take what no reader needs.
  /// `FreeSpace` 2, `CommitRecord` 1.
  @Test func whatAnotherProcessWroteIsNeverTakenFromAReader() throws {
    var reused = 0
    for seed in 1...UInt64(RandomRuns.count(of: 60)) {
      reused += try run(seed: seed)
    }
    expectTrue(reused > 20)
  }

  /// - Returns: How many units were taken that were written and freed after the oldest reader.
  private func run(seed: UInt64) throws -> Int {
    var random = SeededGenerator(seed: seed)
    let logicalSize = Self.start + Self.unitCount * Self.unit
    var model = Model()
    var known = [(space: FreeSpace, version: UInt64)?](repeating: nil, count: 3)
    var readers: [UInt64] = [1]
    var reused = 0
    for _ in 0..<40 {
      let process = Int.random(in: 0..<known.count, using: &random)
      if random.chance(0.2) { readers.append(model.newest) }
      if random.chance(0.15) {
        readers.remove(at: Int.random(in: 0..<readers.count, using: &random))
      }
      if readers.isEmpty { readers = [model.newest] }
      var space: FreeSpace
      if let own = known[process], own.version == model.newest {
        space = own.space
      } else {
        space = FreeSpace(blocks: model.stored, logicalSize: logicalSize)
        if let own = known[process] { space.recall(own.space, of: own.version) }
      }
      let pinned = Set(readers + [model.newest, max(1, model.newest - 1)]).sorted()
      space.expire(pinned: pinned)
      for block in space.blocks where block.isUsable {
        for unit in units(block.position..<block.end) {
          let needing = model.reader(of: unit, pinned)
          expectTrue(needing == nil, "seed \(seed), version \(model.newest): unit \(unit)")
        }
      }
      reused += try commit(to: &space, &model, after: readers.min() ?? 0, &random)
      known[process] = (space, model.newest)
    }
    return reused
  }

  /// Makes the next version.
  ///
  /// - Returns: How many units it takes that were written after the oldest reader.
  private func commit(
    to space: inout FreeSpace, _ model: inout Model, after oldest: UInt64,
    _ random: inout SeededGenerator
  ) throws -> Int {
    let version = model.newest + 1
    var reused = 0
    var written: [Range<Int>] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let wanted = Int.random(in: 1...6, using: &random) * Self.unit
      guard let taken = space.take(wanted: wanted, needed: Self.unit, from: .low) else { break }
      written.append(taken)
      for unit in units(taken) {
        if model.writers[unit] > oldest { reused += 1 }
        model.tags[unit] = nil
      }
    }
    let fresh = Set(written.flatMap { units($0) })
    var freed: [NodeAllocator.FreedBlock] = []
    for unit in 0..<Self.unitCount
    where model.tags[unit] == nil && !fresh.contains(unit) && random.chance(0.2) {
      model.tags[unit] = version
      freed.append(.init(offset: range(unit..<unit + 1).lowerBound, byteCount: Self.unit))
    }
    try space.add(freed: freed, tag: version)
    for unit in fresh { model.writers[unit] = version }
    // The last unit of a run has the record of the commit.
    if let last = written.popLast() {
      let record = last.upperBound - Self.unit..<last.upperBound
      model.tags[units(record).lowerBound] = version
      model.writers[units(record).lowerBound] = version - 1
      try space.add(record: record, of: version)
      written.append(last.lowerBound..<record.lowerBound)
    }
    space.noteWritten(written, version: version)
    model.stored = space.blocks.map {
      FreeBlock(position: $0.position, byteCount: $0.byteCount, tag: $0.isHeld ? 0 : $0.tag)
    }
    model.newest = version
    return reused
  }
}
