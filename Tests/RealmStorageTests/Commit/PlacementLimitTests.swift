// SPDX-License-Identifier: Apache-2.0

// Where nodes go when a limit of their placement is just reached.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

struct PlacementLimitTests {
  private let long = NodePlacement.longListCount
  private let small = NodePlacement.smallByteCount

  private func placement(
    _ space: FreeSpace, long: Int, short: Int,
    extend: @escaping (Int) throws(StorageError) -> Void = { _ throws(StorageError) in }
  ) -> NodePlacement {
    NodePlacement(
      space, expecting: NodeByteCounts(long: long, short: short), pageSize: 4096, extend: extend)
  }

  /// Blocks of `byteCount` bytes with 80 used ones behind each, and a free rest.
  private func fragmented(_ count: Int, of byteCount: Int = 520, rest: Int) -> FreeSpace {
    let step = byteCount + 80
    var blocks = (0..<count).map {
      FreeBlock(position: 4096 + $0 * step, byteCount: byteCount, tag: 0)
    }
    let end = 4096 + count * step
    blocks.append(FreeBlock(position: end, byteCount: rest, tag: 0))
    return FreeSpace(blocks: blocks, logicalSize: end + rest)
  }

  /// Blocks of one length in a file of `size` bytes, and one of `more` bytes near its end.
  private func scattered(_ count: Int, of byteCount: Int, more: Int, size: Int) -> FreeSpace {
    var blocks = (0..<count).map {
      FreeBlock(position: 4096 + $0 * (byteCount + 1024), byteCount: byteCount, tag: 0)
    }
    if more > 0 { blocks.append(FreeBlock(position: size - 4096, byteCount: more, tag: 0)) }
    return FreeSpace(blocks: blocks, logicalSize: size)
  }

  // MARK: Which way is taken

  /// A commit has one run up to a mebibyte.
  @Test(arguments: [(0, true), (8, false)]) func aMebibyteIsOneRun(more: Int, isOneRun: Bool) throws
  {
    var commit = placement(
      fragmented(10, rest: 4 << 20), long: 600, short: small - 600 + more)
    let leaf = try commit.place(520, .long)
    try expectEqual(commit.place(2000, .short) == leaf + 600, isOneRun)
  }

  /// Nodes of commits with few long-lived ones go to holes if the list is long, others do not.
  @Test(arguments: [(32 << 10, 1, true), (32 << 10 + 8, 1, false), (600, 1, true), (600, 0, false)])
  func fewLongLivedNodesShortenLongLists(byteCount: Int, more: Int, isHole: Bool) throws {
    let space = fragmented(long - 1 + more, rest: 4 << 20)
    expectEqual(space.list.count, long + more)
    // So much that it is not one run.
    var commit = placement(space, long: byteCount, short: small)
    try expectEqual(commit.place(520, .long) == 4096, isHole)
  }

  @Test func fourHolesAreFilled() throws {
    let space = fragmented(long + 10, rest: 1 << 20)
    let rest = try #require(space.list.last).position
    var commit = placement(space, long: 8 * 520, short: 800)
    let places = try (0..<8).map { _ in try commit.place(520, .long) }
    expectEqual(places.map { $0 < rest }, [true, true, true, true, false, false, false, false])
  }

  /// A run that ends with its last node is used to its end, where another would fit as well.
  @Test(arguments: [NodeLifetime.short, .long])
  func runsAreUsedToTheirEnd(_ lifetime: NodeLifetime) throws {
    let space = FreeSpace(
      blocks: [
        FreeBlock(position: 4096, byteCount: 64 << 10, tag: 0),
        FreeBlock(position: 100_000, byteCount: 4000, tag: 0),
      ], logicalSize: 104_000)
    var commit = placement(
      space, long: lifetime == .long ? 8000 : 0, short: lifetime == .long ? 0 : 8000)
    let first = try commit.place(4000, lifetime)
    try expectEqual(commit.place(4000, lifetime), first + 4000)
  }

  /// A commit of nothing but its lists has no lane.
  @Test func aCommitOfNothingHasNoLane() throws {
    var commit = placement(fragmented(10, rest: 1 << 20), long: 0, short: 0)
    try expectEqual(commit.takeLast(800).count, 800)
  }

  // MARK: Lanes

  /// A commit without long-lived nodes leaves no lane behind it.
  @Test func aLaneBeginsWithALongLivedNode() throws {
    for hasLong in [false, true] {
      var commit = placement(fragmented(10, rest: 1 << 20), long: hasLong ? 520 : 0, short: 8000)
      if hasLong { _ = try commit.place(520, .long) }
      _ = try commit.place(2000, .short)
      let last = try commit.takeLast(800)
      try commit.finish(at: last.lowerBound + 8, version: 2)
      expectEqual(commit.space.fronts.count, hasLong ? 1 : 0)
    }
  }

  @Test func fourLanesAreKept() throws {
    for count in 0...5 {
      var space = fragmented(10, rest: 1 << 20)
      space.fronts = (0..<count).map { 8 * $0 }
      var commit = placement(space, long: 520, short: 8000)
      let leaf = try commit.place(520, .long)
      _ = try commit.takeLast(800)
      let kept = space.fronts.suffix(max(0, min(count, 3)))
      expectEqual(commit.space.fronts.suffix(4), (kept + [leaf + 520])[...], "\(count)")
      expectEqual(commit.space.fronts.count, min(count + 1, max(4, count)))
    }
  }

  // MARK: Parts of runs

  /// The nodes of a commit, and whether the file grows for the first of them.
  private func grows(_ space: FreeSpace, long: Int, short: Int) throws -> Bool {
    var commit = placement(space, long: long, short: short)
    _ = try commit.place(520, long > 0 ? .long : .short)
    return commit.space.logicalSize > space.logicalSize
  }

  /// If more than two fifths of a file are free, parts of a run may be a 64th of it.
  @Test(arguments: [(0, true), (8, false)]) func freeFilesHaveSmallParts(
    more: Int, grows: Bool
  ) throws {
    let space = scattered(20, of: 20_480, more: more, size: 1_024_000)
    try expectEqual(self.grows(space, long: 600 << 10, short: 0), grows)
  }

  /// If more than a quarter is free, holes are filled before a lane is made at the end.
  @Test(arguments: [(0, true), (8, false)]) func roomyFilesDoNotGrow(more: Int, grows: Bool) throws
  {
    let space = scattered(25, of: 4096, more: more, size: 409_600)
    try expectEqual(self.grows(space, long: 1000, short: 7000), grows)
  }

  /// Up to a mebibyte, long-lived nodes are one run; what is longer may go to parts.
  @Test(arguments: [(0, true), (8, false)]) func longRunsHaveParts(more: Int, grows: Bool) throws {
    let space = scattered(5, of: 102_400, more: 0, size: 4 << 20)
    try expectEqual(self.grows(space, long: small + more, short: 8), grows)
  }

  /// Short-lived nodes go to parts if more than half of the file is free, or if they are many.
  @Test func shortRunsHaveParts() throws {
    for (more, grows) in [(0, true), (8, false)] {
      let half = scattered(10, of: 100_000, more: more, size: 2_000_000)
      try expectEqual(self.grows(half, long: 0, short: 800_000), grows)
      let full = scattered(10, of: 100_000, more: 0, size: 8_000_000)
      try expectEqual(self.grows(full, long: 0, short: small + more), grows)
    }
  }

  // MARK: Growth

  /// On a full disk less is asked for, and nothing is asked for twice.
  @Test func aFullDiskIsAskedForLess() throws {
    final class Asked {
      var sizes: [Int] = []
    }
    let asked = Asked()
    var commit = placement(FreeSpace(logicalSize: 65_536), long: 600, short: 8000) {
      (size) throws(StorageError) in
      asked.sizes.append(size)
      throw .system(operation: "Growing", path: "full", code: ENOSPC)
    }
    #expect(throws: StorageError.self) { try commit.place(520, .long) }
    expectEqual(asked.sizes, [131_072, 81_920, 131_072, 69_632, 69_632])
  }

  /// What the file grew by and no node has is written with zeros: nothing that was there before.
  @Test func theUnwrittenTailIsWhatTheFileGrewBy() throws {
    let tail = FreeBlock(position: 61_440, byteCount: 4096, tag: 0)
    var commit = placement(FreeSpace(blocks: [tail], logicalSize: 65_536), long: 0, short: 8000)
    expectEqual(commit.unwrittenTail, 0..<0)
    let last = try commit.takeLast(8000)
    try commit.finish(at: last.lowerBound + 800, version: 2)
    // The second half of what there is then.
    expectEqual(last, 96_256..<104_256)
    expectEqual(commit.unwrittenTail, 104_256..<131_072)
  }

  // MARK: Staging

  /// A writer of nodes to a file in memory that has a free mebibyte and more.
  private func writer(
    _ scratch: ScratchSpace, _ file: any StorageFile, of byteCount: Int = 4 << 20,
    short: Int = 3 << 20, isRecorded: Bool = false
  ) throws -> NodeWriter {
    try file.resize(to: byteCount)
    let space = FreeSpace(
      blocks: [FreeBlock(position: 24, byteCount: byteCount - 24, tag: 0)], logicalSize: byteCount)
    return NodeWriter(
      placement(space, long: 0, short: short), slab: scratch.space, file: file,
      staging: NodeWriter.Staging(), isRecorded: isRecorded, hasChecksums: false)
  }

  /// Nodes and lists are put together up to a mebibyte; what is longer is written at once.
  @Test(arguments: [(0, 0), (8, 1)]) func nodesOfAMebibyteAreStaged(more: Int, writes: Int) throws {
    let count = (StagedRun.Buffer.byteCount + more) / 8 - 1
    let scratch = try ScratchSpace()
    let wide = Int64(1) << 40 | 1
    for flags in [[], .hasRefs] as [NodeFlags] {
      let system = try SimulatedFileSystem()
      var writer = try writer(scratch, system.file)
      system.file.clearTrace()
      let node = try IntegerNode.make(
        [Int64](repeating: wide, count: count), flags: flags, in: scratch.allocator)
      let ref = try writer.write(node.ref)
      expectEqual(system.file.trace.count, writes)
      expectEqual(writer.byteCount, StagedRun.Buffer.byteCount + more)
      try writer.flush()
      expectEqual(system.file.trace.count, 1)
      let bytes = try system.file.contents()
      expectEqual(Array(bytes[ref.offset + 8..<ref.offset + 14]), [1, 0, 0, 0, 0, 1])
    }
    let system = try SimulatedFileSystem()
    var writer = try writer(scratch, system.file)
    system.file.clearTrace()
    try writer.writeIntegers(count: count, widthCode: 7, at: 4096) { target in
      for index in 0..<count {
        PackedIntegers.store(wide, to: target, widthCode: 7, at: index)
      }
    }
    expectEqual(system.file.trace.count, writes)
    expectEqual(writer.byteCount, StagedRun.Buffer.byteCount + more)
  }

  /// A commit of a mebibyte has a record, and a longer one has none.
  @Test(arguments: [(0, true), (8, false)]) func recordsAreOfAMebibyte(
    more: Int, isRecorded: Bool
  ) throws {
    let scratch = try ScratchSpace()
    var writer = try writer(scratch, try SimulatedFileSystem().file, isRecorded: true)
    let half = CommitRecord.byteCountMax / 2
    for (place, byteCount) in [(4096, half), (4096 + half, half + more)] {
      try writer.writeIntegers(count: byteCount / 8 - 1, widthCode: 7, at: place) { target in
        target.storeBytes(of: 1, as: UInt64.self)
      }
    }
    let room = 3 << 20..<3 << 20 + CommitRecord.byteCount(pieceCount: 20)
    try expectEqual(
      writer.writeRecord(in: room, of: 2, at: Ref(4096), after: Ref(24)), isRecorded)
    withExtendedLifetime(scratch) {}
  }

  /// Above lists of two generations, clusters live short, and are written at the end of the file.
  @Test func clustersOfListsLiveShort() throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    let clusters = try (0..<2).map { cluster in
      let leaves = try (0..<2).map {
        try IntegerNode.make([Int64(cluster), Int64($0), 1 << 40], in: allocator).ref.slot
      }
      let list = try IntegerNode.make(leaves, flags: [.hasRefs, .inner], in: allocator)
      return try IntegerNode.make([list.ref.slot], flags: .hasRefs, in: allocator).ref.slot
    }
    let inner = try IntegerNode.make(clusters, flags: [.hasRefs, .inner], in: allocator)
    let root = try IntegerNode.make([inner.ref.slot], flags: .hasRefs, in: allocator)
    let system = try SimulatedFileSystem()
    var writer = try writer(scratch, system.file, of: 1 << 20, short: 0)
    let written = try writer.write(root.ref, isData: true)
    try writer.flush()
    try system.file.contents().withUnsafeBytes { bytes in
      let space = NodeSpace(base: try #require(bytes.baseAddress), fileEnd: bytes.count)
      let inner = try space.node(at: written).ref(at: 0)
      expectTrue(written.offset > 1 << 19)
      expectTrue(inner.offset > 1 << 19)
      for index in 0..<2 {
        let cluster = try space.node(at: inner).ref(at: index)
        expectTrue(cluster.offset > 1 << 19)
        let list = try space.node(at: cluster).ref(at: 0)
        expectTrue(list.offset < 1 << 19)
        try expectTrue(space.node(at: list).ref(at: 0).offset < 1 << 19)
      }
    }
    withExtendedLifetime(scratch) {}
  }

  /// Clusters with different numbers of columns are written column by column, too.
  @Test func clustersMayHaveFewerColumns() throws {
    let file = try DatabaseFile.open(
      path: "fewer-columns", options: OpenOptions(isInMemory: true))
    let write = try file.beginWrite()
    let allocator = write.allocator
    let clusters = try [3, 1, 2].map { count in
      let leaves = try (0..<count).map {
        try IntegerNode.make([Int64(count), Int64($0)], in: allocator).ref.slot
      }
      return try IntegerNode.make(leaves, flags: .hasRefs, in: allocator).ref.slot
    }
    let inner = try IntegerNode.make(clusters, flags: [.hasRefs, .inner], in: allocator)
    write.roots.tables = try IntegerNode.make([inner.ref.slot], flags: .hasRefs, in: allocator).ref
    let snapshot = try write.commit(changeset: [])
    let stored = try snapshot.space.node(
      at: snapshot.space.node(at: snapshot.roots.tables).ref(at: 0))
    for (index, count) in [3, 1, 2].enumerated() {
      let cluster = try snapshot.space.node(at: stored.ref(at: index))
      expectEqual(cluster.count, count)
      for column in 0..<count {
        let leaf = try snapshot.space.node(at: cluster.ref(at: column))
        try expectEqual([leaf.integer(at: 0), leaf.integer(at: 1)], [Int64(count), Int64(column)])
      }
    }
    try expectEqual(file.check(), [])
  }

  /// Leaves and the nodes directly above them live long, but for the root.
  @Test func twoGenerationsLiveLong() throws {
    let scratch = try ScratchSpace()
    for (count, long) in [(1, 0), (2, 1), (3, 2), (4, 2), (6, 2)] {
      let root = try chain(count, in: scratch.allocator)
      var counts = NodeByteCounts()
      try NodeWriter.measure(root, isData: true, in: scratch.space, into: &counts)
      expectEqual(counts.long, 16 * long, "\(count)")
      expectEqual(counts.short, 16 * (count - long), "\(count)")
      counts = NodeByteCounts()
      try NodeWriter.measure(root, in: scratch.space, into: &counts)
      expectEqual(counts.long, 0)
    }
  }

  /// Columns are those of clusters, and not of inner nodes of inner nodes.
  @Test func innerNodesAreWrittenOneAfterTheOther() throws {
    let file = try DatabaseFile.open(path: "inner-nodes", options: OpenOptions(isInMemory: true))
    let write = try file.beginWrite()
    let allocator = write.allocator
    let parts = try (0..<2).map { part in
      let leaves = try (0..<2).map {
        try IntegerNode.make([Int64(part), Int64($0)], in: allocator).ref.slot
      }
      return try IntegerNode.make(leaves, flags: [.hasRefs, .inner], in: allocator).ref.slot
    }
    let inner = try IntegerNode.make(parts, flags: [.hasRefs, .inner], in: allocator)
    write.roots.tables = try IntegerNode.make([inner.ref.slot], flags: .hasRefs, in: allocator).ref
    let snapshot = try write.commit(changeset: [])
    let space = snapshot.space
    let stored = try space.node(at: space.node(at: snapshot.roots.tables).ref(at: 0))
    let leaves = try (0..<2).flatMap { part in
      let node = try space.node(at: stored.ref(at: part))
      return try (0..<2).map { try node.ref(at: $0).offset }
    }
    expectEqual(leaves, leaves.sorted())
  }

  // MARK: Depth

  private static let endless = StorageError.corrupted("a tree of nodes does not end")

  /// A node with one child of one child and so on.
  private func chain(_ count: Int, in allocator: NodeAllocator) throws -> Ref {
    var ref = try IntegerNode.make([1], in: allocator).ref
    for _ in 1..<count {
      ref = try IntegerNode.make([ref.slot], flags: .hasRefs, in: allocator).ref
    }
    return ref
  }

  /// No tree of the format is 512 nodes deep; one that is deeper is neither measured nor written.
  @Test(arguments: [512, 513]) func writtenTreesHaveADepth(count: Int) throws {
    let scratch = try ScratchSpace()
    let root = try chain(count, in: scratch.allocator)
    var counts = NodeByteCounts()
    func measure() throws { try NodeWriter.measure(root, in: scratch.space, into: &counts) }
    let file = try MemoryFiles.makeFile(named: "deep")
    try file.resize(to: 1 << 20)
    let space = FreeSpace(
      blocks: [FreeBlock(position: 24, byteCount: 1 << 20 - 24, tag: 0)], logicalSize: 1 << 20)
    var writer = NodeWriter(
      placement(space, long: 0, short: 1 << 16), slab: scratch.space, file: file,
      staging: NodeWriter.Staging(), isRecorded: false, hasChecksums: false)
    if count == 512 {
      try measure()
      expectEqual(counts.short, 512 * 16)
      _ = try writer.write(root)
    } else {
      #expect(throws: Self.endless) { try measure() }
      #expect(throws: Self.endless) { try writer.write(root) }
    }
    withExtendedLifetime(scratch) {}
  }

  /// Nodes that are given up have the same depth.
  @Test(arguments: [512, 513]) func treesThatAreGivenUpHaveADepth(count: Int) throws {
    let scratch = try ScratchSpace()
    let root = try chain(count, in: scratch.allocator)
    if count == 512 {
      try scratch.allocator.freeTree(root)
    } else {
      #expect(throws: Self.endless) { try scratch.allocator.freeTree(root) }
    }
  }

  /// A walk of an evacuation goes as deep, also where a node of a damaged file refers to itself.
  @Test func aWalkEnds() throws {
    let reservation = try AddressReservation(
      path: "walk", fileCapacity: 1 << 16, slabCapacity: 1 << 20, minimumFileCapacity: 1 << 16)
    mprotect(reservation.base, 1 << 16, PROT_READ | PROT_WRITE)
    let header = NodeHeader(flags: .hasRefs, layout: .bits, widthCode: 7, count: 1)
    reservation.base.storeBytes(of: header.bits, toByteOffset: 24, as: UInt64.self)
    reservation.base.storeBytes(of: 24, toByteOffset: 32, as: UInt64.self)
    let allocator = NodeAllocator(
      space: NodeSpace(
        base: UnsafeRawPointer(reservation.base), fileEnd: 4096,
        slabStart: reservation.fileCapacity,
        slabEnd: reservation.fileCapacity + reservation.slabCapacity))
    var evacuation = Evacuation(endFrom: 0, windowByteCount: 4096)
    var roots = [Ref(24)]
    try Evacuator.step(
      &evacuation, &roots, .init(byteCount: 1 << 20, nodeCount: 1 << 20), allocator)
    expectTrue(evacuation.isComplete)
    expectEqual(allocator.freedBlocks.count, 512)
    withExtendedLifetime(reservation) {}
  }
}
