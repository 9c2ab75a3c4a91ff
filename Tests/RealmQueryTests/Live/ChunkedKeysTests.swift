// SPDX-License-Identifier: Apache-2.0

import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

/// Chunked keys beside an array that has the same done to it.
struct ChunkedKeysTests {
  private static func keys(_ count: Int) -> [ObjectKey] {
    (0..<count).map { ObjectKey(Int64($0) * 2) }
  }

  /// Takes away and adds as `replacing(removed:with:)` says, one by one.
  private static func expected(
    _ keys: [ObjectKey], removed: [Int], arrivals: [(gap: Int, key: ObjectKey)]
  ) -> [ObjectKey] {
    let gone = Set(removed)
    let kept = keys.indices.filter { !gone.contains($0) }.map { keys[$0] }
    var result: [ObjectKey] = []
    for gap in 0...kept.count {
      result += arrivals.filter { $0.gap == gap }.map(\.key)
      if gap < kept.count { result.append(kept[gap]) }
    }
    return result
  }

  private static func checkInvariants(_ chunked: ChunkedKeys) {
    #expect(chunked.chunks.allSatisfy { !$0.isEmpty && $0.count <= ChunkedKeys.largestChunk })
    expectEqual(chunked.count, chunked.chunks.reduce(0) { $0 + $1.count })
  }

  @Test(arguments: [0, 1, 8, 9, 300]) func keysAreFoundInAnyOrder(wantedCount: Int) throws {
    var random = SeededGenerator(seed: UInt64(wantedCount))
    let keys = Self.keys(5000).shuffled(using: &random)
    let chunked = ChunkedKeys(keys)
    // Odd keys are not in the list.
    let wanted = Set((0..<wantedCount).map { _ in Int64.random(in: 0..<10_000, using: &random) })
      .map { ObjectKey($0) }.sorted()
    let expected = keys.indices.filter { wanted.contains(keys[$0]) }
    try expectEqual(chunked.positions(of: wanted, isAscending: false, nil), expected)
    let ascending = Self.keys(5000)
    try expectEqual(
      ChunkedKeys(ascending).positions(of: wanted, isAscending: true, nil),
      ascending.indices.filter { wanted.contains(ascending[$0]) })
  }

  @Test(arguments: RandomRuns.seeds(3)) func listsThatShareChunksAreCompared(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let keys = Self.keys(9000).shuffled(using: &random)
    let old = ChunkedKeys(keys)
    let removed = (0..<Int.random(in: 0...40, using: &random)).map { _ in
      Int.random(in: 0..<keys.count, using: &random)
    }
    let places = Set(removed).sorted()
    // What is taken out comes back elsewhere, with new keys.
    let arriving = places.map { keys[$0] } + (0..<5).map { ObjectKey(Int64($0) * 2 + 1) }
    let gaps = arriving.map { _ in
      Int.random(in: 0...keys.count - places.count, using: &random)
    }.sorted()
    let new = old.replacing(
      removed: places, with: zip(gaps, arriving.shuffled(using: &random)).map { ($0, $1) })
    let changes = ResultChanges(from: old, to: new)
    var copy = keys
    for index in changes.deletions.reversed() { copy.remove(at: index) }
    let target = new.array()
    for index in changes.insertions { copy.insert(target[index], at: index) }
    expectEqual(copy, target)
    expectTrue(changes.deletions.count <= places.count)
  }

  /// `ChunkedKeys` 1 and 2
  @Test(arguments: [0, 1, 255, 1024, 2048, 2049, 10_000])
  func whatGoesInComesOut(count: Int) {
    let keys = Self.keys(count)
    let chunked = ChunkedKeys(keys)
    Self.checkInvariants(chunked)
    expectEqual(chunked.array(), keys)
    for position in stride(from: 0, to: count, by: 97) {
      expectEqual(chunked[position], keys[position])
      let (chunk, start) = chunked.chunk(at: position)
      expectEqual(chunk[position - start], keys[position])
    }
  }

  @Test func pointsAreFoundByAskingFew() throws {
    let keys = Self.keys(5000)
    let chunked = ChunkedKeys(keys)
    for bound in [-1, 0, 1, 2, 2047, 2048, 4096, 9997, 9998, 9999, 20_000] {
      var questions = 0
      let point = try chunked.partitionPoint {
        questions += 1
        return $0.rawValue < bound
      }
      expectEqual(point, keys.count { $0.rawValue < bound })
      expectTrue(questions < 20)
    }
    try expectEqual(ChunkedKeys().partitionPoint { _ in true }, 0)
  }

  /// `ChunkedKeys` 1 and 2, after each change.
  @Test(.heavy, arguments: RandomRuns.seeds(8)) func changesAreThoseOfAnArray(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var keys = Self.keys(Int.random(in: 0...6000, using: &random))
    var chunked = ChunkedKeys(keys)
    var next: Int64 = 1_000_001
    for round in 0..<40 {
      // Now and then nearly everything goes, or much comes to one place.
      let share = [0.0005, 0.01, 0.9][round % 7 == 3 ? 2 : Int.random(in: 0...1, using: &random)]
      let removed = keys.indices.filter { _ in random.chance(share) }
      let keptCount = keys.count - removed.count
      let crowd = round % 5 == 4 ? 3000 : Int.random(in: 0...6, using: &random)
      let place = Int.random(in: 0...keptCount, using: &random)
      var gaps = (0..<crowd).map { _ in
        round % 5 == 4 ? place : Int.random(in: 0...keptCount, using: &random)
      }
      gaps.sort()
      let arrivals = gaps.map { gap -> (gap: Int, key: ObjectKey) in
        next += 2
        return (gap, ObjectKey(next))
      }
      let before = chunked
      chunked = chunked.replacing(removed: removed, with: arrivals)
      expectEqual(before.array(), keys, "seed \(seed), round \(round)")
      keys = Self.expected(keys, removed: removed, arrivals: arrivals)
      expectEqual(chunked.array(), keys, "seed \(seed), round \(round)")
      Self.checkInvariants(chunked)
    }
  }

  @Test func statesShareWhatDidNotChange() {
    let first = ChunkedKeys(Self.keys(100_000))
    let second = first.replacing(removed: [50_000], with: [(gap: 3, key: ObjectKey(5))])
    let shared = first.chunks.count { chunk in
      second.chunks.contains { other in
        chunk.withUnsafeBufferPointer { chunk in
          other.withUnsafeBufferPointer { $0.baseAddress == chunk.baseAddress }
        }
      }
    }
    expectEqual(shared, first.chunks.count - 2)
  }
}
