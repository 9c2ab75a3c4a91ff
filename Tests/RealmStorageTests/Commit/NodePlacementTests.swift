// SPDX-License-Identifier: Apache-2.0

// Where commits put their nodes: few positions, a file that does not grow permanently, short lists.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct NodePlacementTests {
  private let page = 4096

  private func placement(_ space: FreeSpace, long: Int, short: Int) -> NodePlacement {
    NodePlacement(
      space, expecting: NodeByteCounts(long: long, short: short), pageSize: page,
      extend: { _ throws(StorageError) in })
  }

  /// Blocks of 520 bytes with 80 used ones between them, and a free rest.
  private func fragmented(_ count: Int, rest: Int) -> FreeSpace {
    var blocks = (0..<count).map { FreeBlock(position: 4096 + $0 * 600, byteCount: 520, tag: 0) }
    let end = 4096 + count * 600
    if rest > 0 { blocks.append(FreeBlock(position: end, byteCount: rest, tag: 0)) }
    return FreeSpace(blocks: blocks, logicalSize: end + rest)
  }

  /// Commits take turns in two lanes, and each goes on where the last but one had its data.
  @Test func longLivedNodesFollowEachOther() throws {
    var space = fragmented(100, rest: 1 << 20)
    var fronts: [Int] = []
    var freed: Range<Int>?
    for step in 0..<20 {
      var commit = placement(space, long: 600, short: 8000)
      let leaf = try commit.place(520, .long)
      let inner = try commit.place(2000, .short)
      expectEqual(inner, leaf + 600)
      try expectEqual(commit.place(80, .long), leaf + 520)
      if step >= 2 { expectEqual(leaf, fronts[step - 2]) }
      fronts.append(leaf + 600)
      let last = try commit.takeLast(4000)
      expectEqual(last.lowerBound, inner + 2000)
      try commit.finish(at: last.lowerBound + 3000, version: 2)
      expectEqual(commit.space.logicalSize, space.logicalSize)
      space = try commit.settledSpace()
      // The short-lived nodes of the commit before are free now.
      if let freed { try space.giveBack(freed) }
      freed = inner..<last.lowerBound + 3000
      space.expire(pinned: [2])
    }
    expectTrue(space.list.count < 110)
  }

  /// What is left of a run is used to its last byte, where another hole would fit as well.
  @Test func theLastNodesGoWhereThereIsJustRoom() throws {
    let space = FreeSpace(
      blocks: [
        FreeBlock(position: 4096, byteCount: 64 << 10, tag: 0),
        FreeBlock(position: 100_000, byteCount: 4000, tag: 0),
      ], logicalSize: 104_000)
    var commit = placement(space, long: 0, short: 8000)
    let first = try commit.place(4000, .short)
    try expectEqual(commit.takeLast(4000), first + 4000..<first + 8000)
  }

  /// Nodes of a small commit go to one place, up to a number of blocks.
  @Test(arguments: [(0, true), (1, false)])
  func smallCommitsAreOneRun(more: Int, isOneRun: Bool) throws {
    let space = fragmented(NodePlacement.longListCount - 1 + more, rest: 1 << 20)
    expectEqual(space.list.count, NodePlacement.longListCount + more)
    var commit = placement(space, long: 600, short: 8000)
    let leaf = try commit.place(520, .long)
    try expectEqual(commit.place(2000, .short) == leaf + 600, isOneRun)
  }

  /// The leaves of one column of several clusters stand side by side; the clusters stand with the
  /// short-lived nodes if there is more than one generation below them.
  @Test(arguments: [false, true]) func columnsAreWrittenOneAfterTheOther(isDeep: Bool) throws {
    let file = try DatabaseFile.open(
      path: "columns-\(UUID().uuidString)", options: OpenOptions(isInMemory: true))
    let write = try file.beginWrite()
    let allocator = write.allocator
    let clusters = try (0..<3).map { cluster in
      let leaves = try (0..<2).map { column in
        let leaf = try IntegerNode.make([Int64(cluster), Int64(column)], in: allocator).ref.slot
        if !isDeep { return leaf }
        return try IntegerNode.make([leaf], flags: .hasRefs, in: allocator).ref.slot
      }
      return try IntegerNode.make(leaves, flags: .hasRefs, in: allocator).ref.slot
    }
    let inner = try IntegerNode.make(clusters, flags: [.hasRefs, .inner], in: allocator)
    write.roots.tables = try IntegerNode.make([inner.ref.slot], flags: .hasRefs, in: allocator).ref
    let snapshot = try write.commit(changeset: [])
    func child(_ index: Int, _ ref: Ref) throws -> Ref {
      try snapshot.space.node(at: ref).ref(at: index)
    }
    let stored = try child(0, snapshot.roots.tables)
    let nodes = try (0..<3).map { try child($0, stored) }
    let leaves = try (0..<2).flatMap { column in try nodes.map { try child(column, $0) } }
    expectEqual(leaves.map(\.offset), leaves.map(\.offset).sorted())
    if isDeep {
      let cluster = try snapshot.space.node(at: nodes[2])
      expectEqual(stored.offset, nodes[2].offset + cluster.header.nodeByteCount)
    }
  }

  /// If nothing else is left, holes are filled before the file grows.
  /// `NodePlacement` 3.
  @Test func holesAreFilledBeforeTheFileGrows() throws {
    var space = fragmented(400, rest: 60_000)
    let size = space.logicalSize
    for _ in 0..<300 {
      var commit = placement(space, long: 520, short: 3000)
      _ = try commit.place(520, .long)
      let short = try commit.takeLast(3000)
      try commit.finish(at: short.lowerBound + 2992, version: 2)
      // The short-lived ones go before the next commit.
      space = try commit.settledSpace()
      try space.giveBack(short.lowerBound..<short.lowerBound + 2992)
      space.expire(pinned: [2])
    }
    expectEqual(space.logicalSize, size)
    expectTrue(space.list.count <= 250)
  }

  /// Holes shorten the list when it is long, also if there is a better place.
  @Test func longListsGetShorter() throws {
    let space = fragmented(NodePlacement.longListCount + 10, rest: 1 << 20)
    var commit = placement(space, long: 6 * 520, short: 800)
    for _ in 0..<6 { _ = try commit.place(520, .long) }
    let last = try commit.takeLast(800)
    try commit.finish(at: last.lowerBound + 8, version: 2)
    expectTrue(commit.space.list.count <= space.list.count - 3)
    expectTrue(commit.space.list.count >= space.list.count - 5)
  }

  /// Hundreds of nodes do not go to hundreds of holes, even if most of the file is free.
  @Test func manyNodesGoToFewPlaces() throws {
    let space = fragmented(2000, rest: 40_000)
    var commit = placement(space, long: 400 * 520, short: 3000)
    var places = 1
    var end = try commit.place(520, .long) + 520
    for _ in 1..<400 {
      let position = try commit.place(520, .long)
      if position != end { places += 1 }
      end = position + 520
    }
    expectTrue(places <= 17)
  }

  /// What is left over when large holes are full does not go to small ones node by node.
  @Test func theRestOfManyNodesGoesToOnePlace() throws {
    let space = fragmented(2000, rest: 100_000)
    var commit = placement(space, long: 210 * 520, short: 3000)
    var places = 1
    var end = try commit.place(520, .long) + 520
    for _ in 1..<210 {
      let position = try commit.place(520, .long)
      if position != end { places += 1 }
      end = position + 520
    }
    expectTrue(places <= 2)
  }

  /// Nodes that were marked go where the next commits replace them, and the mark stays in memory.
  @Test func markedNodesAreShortLived() throws {
    let file = try DatabaseFile.open(
      path: "marked-\(UUID().uuidString)", options: OpenOptions(isInMemory: true))
    let write = try file.beginWrite()
    try NumberTree.replace(with: (0..<4000).map { Int64($0) << 30 }, in: write)
    let root = write.roots.tables
    var before = NodeByteCounts()
    try NodeWriter.measure(root, isData: true, in: write.allocator.space, into: &before)
    let leaf = try write.allocator.node(at: root).ref(at: 1)
    let byteCount = try write.allocator.node(at: leaf).header.nodeByteCount
    write.allocator.mutableNode(at: leaf).markShortLived()
    var after = NodeByteCounts()
    try NodeWriter.measure(root, isData: true, in: write.allocator.space, into: &after)
    expectEqual(after.long, before.long - byteCount)
    expectEqual(after.short, before.short + byteCount)
    _ = try write.commit(changeset: [])
    try expectEqual(file.check(), [])
  }

  /// A small commit to an old file with holes everywhere changes one place of it and the header.
  /// `NodePlacement` 2, `NodeWriter` 3.
  @Test func aSmallCommitWritesOnePlace() throws {
    let system = try SimulatedFileSystem()
    let file = try system.openDatabase()
    var random = SeededGenerator(seed: 5)
    let first = try file.beginWrite()
    try NumberTree.replace(with: (0..<60_000).map { Int64($0) << 30 }, in: first)
    _ = try first.commit(changeset: [])
    var places: [Int] = []
    for step in 0..<600 {
      let write = try file.beginWrite()
      let root = try write.allocator.makeWritable(write.roots.tables).ref
      let index = Int.random(in: 0..<600, using: &random)
      let leaf = try IntegerNode.set(
        Int64(step), at: 7, in: try write.allocator.node(at: root).ref(at: index), write.allocator)
      write.roots.tables = try IntegerNode.set(leaf.slot, at: index, in: root, write.allocator)
      system.file.clearTrace()
      _ = try write.commit(changeset: [1, 2, 3])
      var pages: Set<Int> = []
      for case .write(let offset, let bytes) in system.file.trace where offset > 24 {
        pages.formUnion(offset / page...(offset + bytes.count - 1) / page)
      }
      places.append(pages.count { !pages.contains($0 - 1) })
      if step % 200 == 0 { try expectEqual(file.check(), []) }
    }
    // Two where no lane is left and the file need not grow; more where it grew.
    expectTrue(places.max() ?? 0 <= 4)
    #expect(places.prefix(200).count { $0 == 1 } > 180)
    #expect(places.count { $0 > 2 } < 6, "\(places)")
  }

  /// After many more changes than the file has leaves, it is less than twice its size.
  /// `NodePlacement` 3.
  @Test(.heavy, arguments: [300, 4000]) func theFileStaysWithinABound(_ count: Int) throws {
    let file = try DatabaseFile.open(
      path: "bound-\(UUID().uuidString)", options: OpenOptions(isInMemory: true))
    var random = SeededGenerator(seed: 8)
    var numbers = (0..<count).map { Int64($0) << 30 }
    var used = 0
    for step in 0..<1500 {
      // Leaves become longer and shorter, too, and some commits change many.
      for _ in 0..<(random.chance(0.02) ? 50 : 1) {
        let value = Int64.random(in: 0...1 << 40, using: &random)
        numbers[Int.random(in: 0..<count, using: &random)] = value >> Int64(step % 32)
      }
      let write = try file.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      let snapshot = try write.commit(changeset: [1, 2, 3])
      if step % 500 == 499 {
        let space = try FreeSpace(snapshot.top(), in: snapshot.space)
        used = max(used, space.logicalSize - space.freeByteCount)
        try expectEqual(file.check(), [])
        expectTrue(space.list.count < count / 100 + 60, "step \(step)")
      }
    }
    #expect(try file.fileByteCount() < 2 * used + (128 << 10), "used \(used)")
    try expectEqual(NumberTree.numbers(of: try file.snapshot()), numbers)
  }
}
