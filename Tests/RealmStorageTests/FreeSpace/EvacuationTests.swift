// SPDX-License-Identifier: Apache-2.0

// The length of a file over many commits, and the parts of `Evacuation`.

import Foundation
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct EvacuationTests {
  /// A file with a list of blobs of any size, and the same list in memory.
  private final class Blobs {
    typealias Tree = BTree<BinaryLeaf>

    let file: DatabaseFile
    private(set) var values: [[UInt8]] = []
    private var random: SeededGenerator

    init(_ file: DatabaseFile, seed: UInt64) {
      self.file = file
      random = SeededGenerator(seed: seed)
    }

    /// Commits `count` changes: insertions, removals and new values. Most are small.
    ///
    /// - Parameter growth: How likely an insertion is, in percent; a removal has the rest of 60.
    @discardableResult
    func commit(_ count: Int, growth: Int, compaction: CompactionStep? = nil) throws -> Snapshot {
      let write = try file.beginWrite()
      write.compaction = compaction
      var root = write.roots.tables
      if root.isNull { root = try Tree.make(in: write.allocator) }
      for _ in 0..<count {
        let choice = Int.random(in: 0..<100, using: &random)
        if values.isEmpty || choice < growth {
          let index = Int.random(in: 0...values.count, using: &random)
          values.insert(value(), at: index)
          root = try insert(values[index], at: index, in: root, write.allocator)
        } else if choice < 60 {
          let index = Int.random(in: 0..<values.count, using: &random)
          values.remove(at: index)
          root = try Tree.remove(at: index, from: root, write.allocator)
        } else {
          let index = Int.random(in: 0..<values.count, using: &random)
          values[index] = value()
          root = try Tree.remove(at: index, from: root, write.allocator)
          root = try insert(values[index], at: index, in: root, write.allocator)
        }
      }
      write.roots.tables = root
      let snapshot = try write.commit(changeset: [])
      isCompacted = write.compaction?.isDone ?? false
      return snapshot
    }

    private(set) var isCompacted = false

    private func insert(
      _ bytes: [UInt8], at index: Int, in root: Ref, _ allocator: NodeAllocator
    ) throws -> Ref {
      try bytes.withUnsafeBytes { raw throws in
        try Tree.insert(ByteView(raw), at: index, in: root, allocator)
      }
    }

    private func value() -> [UInt8] {
      let limit = [40, 100, 100, 2000, 5000, 40_000, 70_000][Int.random(in: 0..<7, using: &random)]
      let byte = UInt8.random(in: 0...255, using: &random)
      return [UInt8](repeating: byte, count: Int.random(in: 0..<limit, using: &random))
    }

    func values(of snapshot: Snapshot) throws -> [[UInt8]] {
      let root = snapshot.roots.tables
      return try (0..<Tree.count(root, in: snapshot.space)).map { index in
        let (leaf, position) = try Tree.leaf(containing: index, of: root, in: snapshot.space)
        return try BinaryLeaf.bytes(at: position, of: leaf, in: snapshot.space) ?? []
      }
    }
  }

  private func open() throws -> DatabaseFile {
    try DatabaseFile.open(
      path: "evacuation-\(UUID().uuidString)", options: OpenOptions(isInMemory: true))
  }

  private func expectWhole(_ blobs: Blobs, _ comment: String) throws {
    try expectEqual(blobs.values(of: try blobs.file.snapshot()), blobs.values, "\(comment)")
    try expectEqual(blobs.file.check(), [], "\(comment)")
  }

  /// With no old version in use, a file is at most twice its live bytes and the largest commit.
  /// The commits that follow a deletion give back what it left, so the largest of the last fifty
  /// live sizes counts.
  /// `Evacuation` 1 and 3.
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func aFileStaysUnderTwiceItsLiveSize(_ seed: UInt64) throws {
    let system = try SimulatedFileSystem()
    let blobs = Blobs(try system.openDatabase(), seed: seed)
    var random = SeededGenerator(seed: seed &+ 100)
    var largest = 0
    var lives: [Int] = []
    for step in 0..<400 {
      system.file.clearTrace()
      let isLarge = random.chance(0.05)
      let growth = step < 150 ? 40 : step % 100 < 50 ? 20 : 32
      try blobs.commit(isLarge ? 150 : Int.random(in: 1...4, using: &random), growth: growth)
      var written = 0
      for case .write(_, let bytes) in system.file.trace { written += bytes.count }
      largest = max(largest, written)
      let (total, used) = try blobs.file.byteCounts()
      lives.append(used)
      let live = lives.suffix(50).max() ?? 0
      expectTrue(total <= 2 * live + largest + (128 << 10), "seed \(seed), step \(step)")
    }
    try expectWhole(blobs, "seed \(seed)")
  }

  @Test func commitsGiveBackWhatADeletionLeft() throws {
    let blobs = Blobs(try open(), seed: 3)
    for _ in 0..<20 { try blobs.commit(60, growth: 60) }
    let full = try blobs.file.byteCounts().total
    while blobs.values.count > 60 { try blobs.commit(300, growth: 0) }
    for _ in 0..<60 { try blobs.commit(1, growth: 30) }
    let (total, used) = try blobs.file.byteCounts()
    expectTrue(total < full / 4)
    expectTrue(total <= 2 * used + (256 << 10))
    try expectWhole(blobs, "after the deletion")
  }

  @Test func compactionInStepsMakesAFileShort() throws {
    let blobs = Blobs(try open(), seed: 5)
    for _ in 0..<20 { try blobs.commit(60, growth: 60) }
    for _ in 0..<6 { try blobs.commit(60, growth: 10) }
    let before = try blobs.file.byteCounts()
    var steps = 0
    repeat {
      try blobs.commit(0, growth: 0, compaction: CompactionStep(byteCount: 256 << 10))
      steps += 1
      try expectWhole(blobs, "step \(steps)")
    } while !blobs.isCompacted && steps < 500
    expectTrue(blobs.isCompacted)
    expectTrue(steps > 3)
    let after = try blobs.file.byteCounts()
    expectTrue(after.total < before.total)
    expectTrue(after.total < after.used / 2 * 3 + (128 << 10), "\(before), \(after)")
    // Nothing is left to be done.
    try blobs.commit(0, growth: 0, compaction: CompactionStep(byteCount: 256 << 10))
    expectTrue(blobs.isCompacted)
    #expect(try blobs.file.byteCounts().total <= after.total)
  }

  /// What a reader of an older version sees never changes, and a compaction does not wait for it.
  /// `ARCHITECTURE` 2.
  @Test func oldVersionsStayWholeWhileNodesMove() throws {
    let blobs = Blobs(try open(), seed: 9)
    for _ in 0..<10 { try blobs.commit(60, growth: 60) }
    try blobs.commit(300, growth: 10)
    var held: [(Snapshot, [[UInt8]])] = []
    for step in 0..<120 {
      let snapshot = try blobs.commit(2, growth: 20)
      if step % 20 == 0 { held.append((snapshot, blobs.values)) }
      if held.count > 2 { held.removeFirst() }
    }
    for (snapshot, values) in held { try expectEqual(blobs.values(of: snapshot), values) }
    try blobs.commit(0, growth: 0, compaction: CompactionStep(byteCount: 1 << 20))
    expectTrue(blobs.isCompacted)
    try expectWhole(blobs, "beside readers")
  }

  /// A crash at any call leaves the version before or after, also while nodes move, the logical
  /// size shrinks, and the file is cut.
  /// `ARCHITECTURE` 3.
  @Test(.heavy) func crashesWhileAFileShrinksLeaveItWhole() throws {
    let first = try SimulatedFileSystem()
    let numbers = (0..<60_000).map { Int64($0) << 30 }
    do {
      let file = try first.openDatabase()
      var write = try file.beginWrite()
      try NumberTree.replace(with: numbers, in: write)
      _ = try write.commit(changeset: [])
      write = try file.beginWrite()
      try NumberTree.replace(
        with: numbers.indices.map { $0 / 100 % 5 == 4 ? numbers[$0] : 0 }, in: write)
      _ = try write.commit(changeset: [])
    }
    let initial = try first.file.contents()
    let system = try SimulatedFileSystem(contents: initial)
    var versions: [UInt64: [Int64]] = [:]
    do {
      let file = try system.openDatabase()
      var values = try NumberTree.numbers(of: try file.snapshot())
      versions[file.newestVersion] = values
      system.file.clearTrace()
      for step in 0..<8 {
        values[step * 700] = Int64(step)
        let (old, used) = (try file.fileByteCount(), try file.snapshot().space.fileEnd)
        let eventCount = system.file.trace.count
        let write = try file.beginWrite()
        try NumberTree.replace(with: values, in: write)
        let snapshot = try write.commit(changeset: [])
        // It is cut to the pages that the version before needs.
        for case .resize(let size) in system.file.trace.dropFirst(eventCount) where size < old {
          expectEqual(size, (used + 4095) / 4096 * 4096)
        }
        versions[snapshot.version] = values
        system.file.acknowledge(snapshot.version)
      }
    }
    let trace = system.file.trace
    #expect(
      trace.contains { if case .resize(let size) = $0 { size < initial.count } else { false } })
    var random = SeededGenerator(seed: 2)
    let states = CrashStates(
      of: trace, initial: initial, subsetLimit: 4, sampleCount: 6, tornUnits: [4096])
    let oldest = try #require(versions.keys.min())
    let count = try states.forEach(using: &random) { state in
      let file = try SimulatedFileSystem(contents: state.contents).openDatabase()
      let snapshot = try file.snapshot()
      let known = max(oldest, state.acknowledged)
      expectTrue((known...known + 1).contains(snapshot.version), "\(state.name)")
      try expectEqual(NumberTree.numbers(of: snapshot), versions[snapshot.version], "\(state.name)")
      try expectEqual(file.check(), [], "\(state.name)")
    }
    expectTrue(count > 50)
    RandomRuns.report(count, "crash states of a compaction")
  }

  // MARK: Parts

  @Test func regionsAreThoseOfTheWindows() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<200 {
      let marks = (0..<8).map { _ in Bool.random(using: &random) }
      let limit = Int.random(in: 1...8, using: &random) * 64
      let isShrinking = Bool.random(using: &random)
      let evacuation =
        isShrinking
        ? Evacuation(endFrom: limit, windowByteCount: 64)
        : Evacuation(windows: marks, windowByteCount: 64, fileByteCount: 512)
      let isIn = { isShrinking ? $0 >= limit : $0 < 512 && marks[$0 / 64] }
      let start = Int.random(in: 0..<70, using: &random) * 8
      let range = start..<start + Int.random(in: 1...30, using: &random) * 8
      expectEqual(evacuation.contains(range), range.contains(where: isIn))
      var end = range.lowerBound
      var last: Bool?
      evacuation.forEachPart(of: range) { part, isEvacuated in
        expectEqual(part.lowerBound, end)
        #expect(part.allSatisfy { isIn($0) == isEvacuated })
        expectTrue(last != isEvacuated)
        (end, last) = (part.upperBound, isEvacuated)
      }
      expectEqual(end, range.upperBound)
    }
  }

  /// `Evacuation` 2: steps of a few nodes copy each node of the regions once, and no other.
  @Test func aWalkInStepsCopiesWhatIsInTheRegions() throws {
    let file = try open()
    var write = try file.beginWrite()
    try NumberTree.replace(with: (0..<30_000).map { Int64($0) << 30 }, in: write)
    let old = try write.commit(changeset: [])
    let window = 16 << 10
    let marks = (0..<64).map { $0 % 3 == 1 }
    var evacuation = Evacuation(
      windows: marks, windowByteCount: window, fileByteCount: marks.count * window)
    write = try file.beginWrite()
    var roots = [write.roots.tables, write.roots.tableNames, Ref.null]
    var steps = 0
    while !evacuation.isComplete {
      try Evacuator.step(
        &evacuation, &roots, .init(byteCount: 3000, nodeCount: 40), write.allocator)
      steps += 1
    }
    expectTrue(steps > 8)
    let space = write.allocator.space
    let before = try old.space.node(at: old.roots.tables)
    let after = try space.node(at: roots[0])
    for index in 0..<before.count {
      let (from, to) = (try before.ref(at: index), try after.ref(at: index))
      let size = try old.space.node(at: from).header.nodeByteCount
      let isMarked = evacuation.contains(from.offset..<from.offset + size)
      expectEqual((from != to), isMarked, "leaf \(index)")
    }
    let moved = write.allocator.freedBlocks.map(\.offset)
    expectEqual(Set(moved).count, moved.count)
    write.rollback()
  }

  /// `Evacuation` 1: a window at the end of the file does not grow with it.
  @Test func whatTheFileGrowsByIsUsable() throws {
    var space = FreeSpace(
      blocks: [FreeBlock(position: 64, byteCount: 32, tag: 0)], logicalSize: 96)
    space.hold(Evacuation(windows: [false, true], windowByteCount: 64, fileByteCount: 96))
    try space.grow(to: 256)
    expectEqual(space.take(wanted: 160, needed: 8, from: .low), 96..<256)
    expectEqual(space.take(wanted: 8, needed: 8, from: .low), nil)
  }

  /// `Evacuation` 1.
  @Test func heldBlocksAreNeitherAllocatedNorWritten() throws {
    var space = FreeSpace(
      blocks: [
        FreeBlock(position: 40, byteCount: 40, tag: 0),
        FreeBlock(position: 88, byteCount: 352, tag: 0),
      ], logicalSize: 4096)
    space.hold(
      Evacuation(windows: [false, true, true], windowByteCount: 64, fileByteCount: 4096))
    expectEqual(space.take(wanted: 400, needed: 8, from: .low), 192..<440)
    expectEqual(space.take(wanted: 400, needed: 8, from: .low), 40..<64)
    expectEqual(space.take(wanted: 8, needed: 8, from: .low), nil)
    try space.add(
      freed: [.init(offset: 456, byteCount: 8), .init(offset: 80, byteCount: 8)], tag: 3)
    space.expire(pinned: [3])
    expectEqual(space.take(wanted: 8, needed: 8, from: .high), 456..<464)
    space.endEvacuation()
    expectEqual(space.blocks, [FreeBlock(position: 64, byteCount: 128, tag: 0)])
  }
}
