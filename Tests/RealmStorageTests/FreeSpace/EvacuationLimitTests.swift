// SPDX-License-Identifier: Apache-2.0

// When a file is made shorter, which of its windows are emptied, and when a step ends.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct EvacuationLimitTests {
  private static let window = 32 << 10

  private func usable(_ range: Range<Int>) -> FreeBlock {
    FreeBlock(position: range.lowerBound, byteCount: range.count, tag: 0)
  }

  private func tagged(_ range: Range<Int>) -> FreeBlock {
    FreeBlock(position: range.lowerBound, byteCount: range.count, tag: 5)
  }

  private func kibibytes(_ range: Range<Int>) -> Range<Int> {
    range.lowerBound << 10..<range.upperBound << 10
  }

  /// The limit of the evacuation that begins; nil if the file is not made shorter.
  private func shrinkingLimit(_ blocks: [FreeBlock], size: Int) -> Int? {
    var space = FreeSpace(blocks: blocks, logicalSize: size)
    space.startEvacuationIfNeeded()
    return space.evacuation?.goal == .shrink ? space.evacuation?.limit : nil
  }

  /// `Evacuation` 3: a short file is left as it is.
  @Test func filesAreMadeShorterFromALengthOn() {
    let threshold = FreeSpace.evacuationThreshold
    for (size, isShort) in [(threshold - 4096, true), (threshold, true), (threshold + 8, false)] {
      var space = FreeSpace(blocks: [usable(4096..<size)], logicalSize: size)
      expectEqual(space.isMostlyFree, !isShort, "\(size)")
      space.startEvacuationIfNeeded()
      expectEqual(space.evacuation == nil, isShort, "\(size)")
    }
    for (size, isGathered) in [(threshold, false), (threshold + 8, true)] {
      let blocks = (0..<6).map { usable($0 * Self.window + 16_384..<($0 + 1) * Self.window) }
      var space = FreeSpace(blocks: blocks, logicalSize: size)
      space.hasGrown = true
      space.startEvacuationIfNeeded()
      expectEqual(space.evacuation?.goal == .gather, isGathered, "\(size)")
    }
    let half = FreeSpace(blocks: [usable(1 << 20..<2 << 20)], logicalSize: 2 << 20)
    expectFalse(half.isMostlyFree)
  }

  /// The target is three halves of what lives: a window that begins there is emptied.
  @Test(arguments: [(64, 96), (128, 192), (120, 192), (100, 160)])
  func windowsAreEmptiedFromTheTargetOn(live: Int, limit: Int) {
    let blocks = [usable(kibibytes(live..<512))]
    expectEqual(shrinkingLimit(blocks, size: 512 << 10), limit << 10)
  }

  /// Windows are a 64th of the file, and have 4 MiB at most.
  @Test(arguments: [(256, 4), (257, 4), (600, 4), (128, 2)])
  func windowsHaveALargestLength(size: Int, window: Int) {
    let bytes = size << 20
    var space = FreeSpace(blocks: [usable(64 << 10..<bytes)], logicalSize: bytes)
    space.startEvacuationIfNeeded()
    expectEqual(space.evacuation?.windowByteCount, window << 20)
  }

  /// What the end has must fit into useful space in front of it, with a quarter more.
  @Test(arguments: [(40, false), (41, true)])
  func theEndGoesWhereThereIsRoom(useful: Int, isShrinking: Bool) {
    let blocks = [
      usable(kibibytes(100..<100 + useful)), tagged(kibibytes(100 + useful..<416)),
      tagged(kibibytes(448..<512)),
    ]
    expectEqual(shrinkingLimit(blocks, size: 512 << 10) != nil, isShrinking)
  }

  /// It is not worth it for a reserve.
  @Test(arguments: [(448, nil), (416, 416)] as [(Int, Int?)])
  func moreThanTheReserveGoes(end: Int, limit: Int?) {
    let blocks = [
      usable(kibibytes(100..<120)), tagged(kibibytes(120..<end - 32)), tagged(kibibytes(end..<512)),
    ]
    expectEqual(shrinkingLimit(blocks, size: 512 << 10), limit.map { $0 << 10 })
  }

  /// Blocks count as useful that are usable and have 4 KiB.
  @Test(arguments: [4096, 4088]) func smallBlocksAreNotUseful(byteCount: Int) {
    var blocks = (0..<100).map { index in
      usable(4096 + index * 4160..<4096 + index * 4160 + byteCount)
    }
    let limit = byteCount == 4096 ? 192 << 10 : nil
    expectEqual(shrinkingLimit(blocks, size: 512 << 10), limit)
    for index in blocks.indices { blocks[index].tag = 5 }
    blocks[0].tag = 0
    expectEqual(shrinkingLimit(blocks, size: 512 << 10), nil)
  }

  /// What a large tagged block has is of no use, even if there is room for the lists.
  @Test func taggedBlocksAreNotUseful() {
    let blocks = [usable(kibibytes(8..<9)), tagged(kibibytes(10..<400))]
    expectEqual(shrinkingLimit(blocks, size: 512 << 10), nil)
  }

  /// The lists of free space need more than twice their length in one block.
  @Test(arguments: [170, 171]) func theListsNeedABlock(count: Int) {
    let long = 2 * 12 * 171
    var blocks = (0..<100).map { usable(4096 + $0 * (long + 8)..<4096 + $0 * (long + 8) + long) }
    let end = blocks[99].end + 8
    blocks += (100..<count).map { usable(end + ($0 - 100) * 16..<end + ($0 - 100) * 16 + 8) }
    expectEqual(blocks.count, count)
    expectEqual(shrinkingLimit(blocks, size: 512 << 10) != nil, count < 171)
  }

  // MARK: Gathering

  /// A growing file of which a third is free is gathered, and one with less is not.
  @Test(arguments: [(0, false), (8, true)]) func aThirdMustBeFree(more: Int, isGathered: Bool) {
    let size = 480 << 10
    // Half of each window, and what is missing of a third.
    var blocks = (0..<8).map { usable($0 * Self.window + 16_384..<($0 + 1) * Self.window) }
    blocks.append(usable(9 * Self.window..<9 * Self.window + size / 3 - 8 * 16_384 + more))
    var space = FreeSpace(blocks: blocks, logicalSize: size)
    space.hasGrown = true
    space.startEvacuationIfNeeded()
    expectEqual(space.evacuation?.goal == .gather, isGathered)
    expectFalse(space.hasGrown)
  }

  /// What moves at once is an eighth of the file.
  @Test(arguments: [(16_384, 4), (16_376, 3)]) func anEighthMovesAtOnce(free: Int, marked: Int) {
    let size = 512 << 10
    var blocks = (0..<5).map { window in
      usable((window + 1) * Self.window - (window < 4 ? free : 11_000)..<(window + 1) * Self.window)
    }
    blocks.append(usable(8 * Self.window..<12 * Self.window))
    var space = FreeSpace(blocks: blocks, logicalSize: size)
    space.hasGrown = true
    space.startEvacuationIfNeeded()
    let count = (0..<16).count {
      space.evacuation?.contains($0 * Self.window..<($0 + 1) * Self.window) == true
    }
    expectEqual(count, marked)
  }

  /// Windows that are all free, or have too little, are left alone.
  @Test func wholeWindowsAreNotGathered() {
    let size = 512 << 10
    var space = FreeSpace(blocks: [usable(kibibytes(256..<448))], logicalSize: size)
    space.hasGrown = true
    space.startEvacuationIfNeeded()
    expectTrue(space.evacuation == nil)
    for (free, isGathered) in [(4096, true), (4088, false)] {
      space = FreeSpace(
        blocks: [usable(Self.window..<Self.window + free)], logicalSize: size)
      expectEqual(space.continueCompaction(), isGathered, "\(free)")
      expectEqual(space.evacuation?.goal == .gather, isGathered)
    }
  }

  // MARK: Compaction

  /// A file whose end can be emptied.
  private func emptiable() -> FreeSpace {
    FreeSpace(blocks: [usable(128 << 10..<1 << 20)], logicalSize: 1 << 20)
  }

  /// After one attempt the end is emptied again once the file is shorter by a 64th.
  @Test(arguments: [(1, true), (0, true), (-1, false)])
  func attemptsNeedAFileThatIsShorter(more: Int, isAgain: Bool) {
    for shrinks in [true, false] {
      var space = emptiable()
      let next = space.logicalSize + more * 8
      space.compaction.shrinkingFrom = shrinks ? next : 0
      if !shrinks {
        space = FreeSpace(
          blocks: (0..<8).map {
            usable(($0 * 4 + 1) * Self.window - 8192..<($0 * 4 + 1) * Self.window)
          },
          logicalSize: 1 << 20)
        space.compaction.shrinkingFrom = 0
        space.compaction.gatheringFrom = next
      } else {
        space.compaction.gatheringFrom = 0
      }
      expectEqual(space.continueCompaction(), isAgain, "\(shrinks)")
    }
  }

  /// What was left is tried again once more than a 32nd of the file is free besides.
  @Test(arguments: [(0, false), (8, true)]) func muchMoreFreeSpaceIsTriedAgain(
    more: Int, isAgain: Bool
  ) {
    var space = emptiable()
    space.compaction.shrinkingFrom = 0
    space.compaction.gatheringFrom = 0
    expectFalse(space.continueCompaction())
    expectEqual(space.compaction.leftByteCount, space.freeByteCount)
    space.compaction.leftByteCount = space.freeByteCount - space.logicalSize / 32 - more
    expectEqual(space.continueCompaction(), isAgain)
  }

  // MARK: Regions

  /// A node that is longer than a window is not gathered, but is moved from the end.
  @Test func nodesLongerThanAWindowAreNotGathered() {
    let gathering = Evacuation(
      windows: [false, true, true], windowByteCount: 64, fileByteCount: 192)
    let shrinking = Evacuation(endFrom: 64, windowByteCount: 64)
    for (range, isGathered, isMoved) in [
      (64..<128, true, true), (64..<136, false, true), (56..<120, true, true),
      (0..<64, false, false),
      (0..<72, false, true), (8..<72, true, true), (192..<200, false, true),
      (184..<192, true, true),
    ] {
      expectEqual(gathering.concerns(range), isGathered, "\(range)")
      expectEqual(shrinking.concerns(range), isMoved, "\(range)")
    }
  }

  /// `Evacuation` 2.
  @Test func aBudgetIsUsedUpByBytesOrNodes() {
    for (bytes, nodes, isUsedUp) in [
      (1, 1, false), (0, 1, true), (1, 0, true), (-8, 1, true), (8, -1, true), (0, 0, true),
    ] {
      let budget = Evacuator.Budget(byteCount: bytes, nodeCount: nodes)
      expectEqual(budget.isUsedUp, isUsedUp, "\(bytes), \(nodes)")
    }
  }

  /// Beside a transaction a file of which more than half is free is moved in larger steps.
  @Test(
    arguments: [
      (512 << 10, 0, 64 << 10), (512 << 10 + 8, 0, 256 << 10), (512 << 10, 40 << 10, 80 << 10),
      (512 << 10 + 8, 200 << 10, 400 << 10), (1 << 20 - 24, 0, 256 << 10),
    ])
  func stepsFollowWhatIsFree(free: Int, own: Int, byteCount: Int) {
    let space = FreeSpace(blocks: [usable(24..<24 + free)], logicalSize: 1 << 20)
    let budget = Evacuator.Budget(space, own: own)
    expectEqual(budget.byteCount, byteCount)
    expectEqual(budget.nodeCount, max(2048, byteCount / 16))
  }

  // MARK: Walks

  /// `Evacuation` 2: a walk comes to each node once, so many in a step, and goes on in the middle
  /// of a tree.
  @Test func aWalkGoesOnWhereItStopped() throws {
    let scratch = try ScratchSpace()
    let allocator = scratch.allocator
    let lists = try (0..<3).map { _ in
      let leaves = try (0..<20).map { try IntegerNode.make([$0], in: allocator).ref.slot }
      return try IntegerNode.make(leaves, flags: .hasRefs, in: allocator).ref.slot
    }
    let root = try IntegerNode.make(lists, flags: .hasRefs, in: allocator).ref
    // Root, lists and leaves; each step comes again to those on its path.
    for (nodeCount, steps) in [(64, 1), (63, 2), (35, 2), (10, 8)] {
      var evacuation = Evacuation(endFrom: 1 << 30, windowByteCount: 4096)
      var roots = [Ref.null, root]
      var count = 0
      while !evacuation.isComplete, count < 100 {
        let budget = Evacuator.Budget(byteCount: 1 << 20, nodeCount: nodeCount)
        try Evacuator.step(&evacuation, &roots, budget, allocator)
        count += 1
      }
      expectEqual(count, steps, "\(nodeCount)")
      expectEqual(roots, [.null, root])
    }
    withExtendedLifetime(scratch) {}
  }

  // MARK: Commits

  private func commit(
    _ numbers: [Int64]?, to file: DatabaseFile, compacting: Bool = false
  ) throws -> Bool {
    let write = try file.beginWrite()
    if compacting { write.compaction = CompactionStep(byteCount: 1 << 20) }
    if let numbers { try NumberTree.replace(with: numbers, in: write) }
    _ = try write.commit(changeset: [])
    return write.compaction?.isDone ?? false
  }

  /// An evacuation waits for a reader that is 32 versions behind, and for no later one.
  @Test func anEvacuationWaitsForAReader() throws {
    let file = try DatabaseFile.open(
      path: "waiting-evacuation", options: OpenOptions(isInMemory: true))
    var numbers = (0..<600_000).map { Int64($0) << 32 }
    _ = try commit(numbers, to: file)
    // The leaves in front become small: those at the end have to move.
    for index in 0..<400_000 { numbers[index] = 0 }
    _ = try commit(numbers, to: file)
    func isUnderWay() -> Bool { file.writer.freeSpace?.evacuation?.isComplete == false }
    for _ in 0..<4 where !isUnderWay() { _ = try commit(nil, to: file) }
    expectTrue(isUnderWay())
    let held = try file.snapshot()
    for lag in 0..<40 {
      _ = try commit(nil, to: file)
      expectEqual(isUnderWay(), lag <= 32, "\(lag)")
    }
    withExtendedLifetime(held) {}
  }

  /// Nodes are copied while the oldest reader is two versions behind, and no more: copies gain no
  /// space that it needs.
  @Test(arguments: [(0, true), (2, true), (3, false), (33, false)] as [(UInt64, Bool)])
  func copiesAreForReadersThatKeepUp(lag: UInt64, isBegun: Bool) throws {
    let file = try DatabaseFile.open(
      path: "lag-\(lag)", options: OpenOptions(isInMemory: true))
    for number in 0..<40 as Range<Int64> { _ = try commit([number], to: file) }
    let write = try file.beginWrite()
    defer { write.rollback() }
    let base = write.base
    var top = try base.top()
    let size = 4 * FreeSpace.evacuationThreshold
    var space = FreeSpace(blocks: [usable(4096..<size - 4096)], logicalSize: size)
    try CommitWriter(write).evacuate(&top, &space, [base.version - lag, base.version], [])
    expectEqual(space.evacuation != nil, isBegun)
  }

  /// A compaction that is done has cut the file, unless a reader has an older version.
  @Test(arguments: [false, true]) func aCompactionThatIsDoneHasCut(hasReader: Bool) throws {
    var excessCount = 0
    for more in 0..<16 {
      let file = try DatabaseFile.open(
        path: "cut-\(more)-\(hasReader)", options: OpenOptions(isInMemory: true))
      let numbers = (0..<(180_000 + 250 * more)).map { Int64($0) << 32 }
      for step in 0..<4 { _ = try commit(numbers + [Int64(step)], to: file) }
      var isDone = false
      for _ in 0..<20 where !isDone {
        let reader = hasReader ? try file.snapshot() : nil
        if hasReader { _ = try commit(nil, to: file) }
        isDone = try commit(nil, to: file, compacting: true)
        withExtendedLifetime(reader) {}
      }
      expectTrue(isDone)
      let end = try file.snapshot().space.fileEnd
      let isCut = try file.fileByteCount() == (end + 4095) / 4096 * 4096
      if !isCut { excessCount += 1 }
    }
    expectEqual(excessCount > 0, hasReader)
  }
}
