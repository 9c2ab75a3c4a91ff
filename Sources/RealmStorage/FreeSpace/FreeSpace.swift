// SPDX-License-Identifier: Apache-2.0

// The free blocks of a file (file format 2.2), kept in memory between commits.
//
// 1. Blocks are sorted by position, disjoint, aligned to 8 and not empty.
// 2. A block may be overwritten only if it is usable: no version that a reader can have, the one
//    that the header selects included, is older than its tag and as new as the version that wrote
//    it. Space that the running commit gives up is tagged with the new version, and so is not
//    usable before the next one.
// 3. Blocks and reachable nodes together cover the file up to `logicalSize`.

/// The free blocks below the logical size of a file.
struct FreeSpace: Sendable {
  var list: FreeBlockList
  private(set) var logicalSize: Int
  /// Where the long-lived nodes of the last commits ended, oldest first (`NodePlacement`).
  var fronts: [Int] = []
  /// The regions that commits are emptying; nil if there are none.
  var evacuation: Evacuation?
  /// Whether the file grew since an evacuation was last considered.
  var hasGrown = false
  /// The lengths from which the running compaction has tried to gain space.
  var compaction = CompactionState()
  /// Whether the file may be longer than `logicalSize` because of `trimTail`.
  var hasExcess = false
  var blockVersions = BlockVersionMap()

  /// A window of the file that no node may cross the border of.
  static let sectionByteCount = 64 << 20

  init(blocks: [FreeBlock] = [], logicalSize: Int) {
    list = FreeBlockList(blocks)
    self.logicalSize = logicalSize
    assert(blocks.last.map { $0.end <= logicalSize } ?? true, "`FreeSpace` 3")
  }

  /// Reads the free lists of a version.
  ///
  /// - Throws: `StorageError.corrupted` if they contradict invariant 1.
  init(_ top: TopArray, in space: NodeSpace) throws(StorageError) {
    guard !top.freePositions.isNull else {
      self.init(logicalSize: top.logicalSize)
      return
    }
    let positions = try Self.integers(at: top.freePositions, in: space)
    let lengths = try Self.integers(at: top.freeLengths, in: space)
    let versions =
      top.freeVersions.isNull ? nil : try Self.integers(at: top.freeVersions, in: space)
    guard positions.count == lengths.count, versions.map({ $0.count == lengths.count }) ?? true
    else { throw .corrupted("the free lists differ in length") }
    var blocks: [FreeBlock] = []
    blocks.reserveCapacity(claimed: positions.count)
    var previousEnd = FileHeader.byteCount
    for index in 0..<positions.count {
      let position = Int(positions.uncheckedInteger(at: index))
      let byteCount = Int(lengths.uncheckedInteger(at: index))
      let tag = versions?.uncheckedInteger(at: index) ?? 0
      guard position >= previousEnd, position & 7 == 0, byteCount > 0, byteCount & 7 == 0,
        byteCount <= top.logicalSize, position <= top.logicalSize - byteCount, tag >= 0
      else { throw .corrupted("the free block at \(position) is impossible") }
      blocks.append(FreeBlock(position: position, byteCount: byteCount, tag: UInt64(tag)))
      previousEnd = position + byteCount
    }
    self.init(blocks: blocks, logicalSize: top.logicalSize)
  }

  private static func integers(at ref: Ref, in space: NodeSpace) throws(StorageError) -> Node {
    let node = try space.node(at: ref)
    guard node.header.layout == .bits, !node.header.hasRefs else {
      throw .corrupted("the node at \(ref.offset) is no free list")
    }
    return node
  }

  var blocks: [FreeBlock] { list.blocks }

  /// The free bytes, usable or not.
  var freeByteCount: Int { list.byteCount }

  // MARK: Commits

  /// Marks as usable what no reader can need any more, and merges what is usable.
  ///
  /// - Parameter pinned: The versions that can be read, ascending; not empty.
  mutating func expire(pinned: [UInt64]) {
    assert(!pinned.isEmpty, "the version that the header selects is always in use")
    assert(zip(pinned, pinned.dropFirst()).allSatisfy { $0 < $1 }, "pinned versions ascend")
    let oldest = pinned.first ?? 0
    if pinned.count == 1 {
      blockVersions.removeAll()
    } else {
      blockVersions.removeAll(through: oldest)
    }
    let evacuation = evacuation
    list.retag { block in
      guard !block.isHeld, block.tag <= oldest || !Self.isNeeded(block, by: pinned) else {
        return nil
      }
      return evacuation?.contains(block.position..<block.end) == true ? FreeBlock.heldTag : 0
    }
  }

  private static func isNeeded(_ block: FreeBlock, by pinned: [UInt64]) -> Bool {
    guard block.writtenVersion > 0 else { return true }
    return pinned.contains { block.writtenVersion <= $0 && $0 < block.tag }
  }

  /// Adds what a commit gives up.
  ///
  /// - Throws: `StorageError.corrupted` if any of it is free already: the file uses a node twice.
  mutating func add(freed: [NodeAllocator.FreedBlock], tag: UInt64) throws(StorageError) {
    assert(tag > 0 && tag != FreeBlock.heldTag, "`FreeSpace` 2: what is freed is tagged")
    let freed = try joined(freed, tag)
    guard freed.count > max(16, list.count / 8) else {
      for block in freed { try list.insert(block) }
      return
    }
    let old = list.blocks
    var merged: [FreeBlock] = []
    merged.reserveCapacity(old.count + freed.count)
    var next = 0
    for block in old {
      while next < freed.count, freed[next].position < block.position {
        try Self.append(freed[next], to: &merged)
        next += 1
      }
      try Self.append(block, to: &merged)
    }
    while next < freed.count {
      try Self.append(freed[next], to: &merged)
      next += 1
    }
    list = FreeBlockList(merged)
  }

  /// What a commit gives up as blocks in the order of the file, neighbours as one: what a commit
  /// wrote side by side is mostly given up together.
  private func joined(
    _ freed: [NodeAllocator.FreedBlock], _ tag: UInt64
  ) throws(StorageError) -> [FreeBlock] {
    var blocks: [FreeBlock] = []
    blocks.reserveCapacity(freed.count)
    for block in freed.sorted(by: { $0.offset < $1.offset }) {
      try Self.append(freeBlock(block, tag), to: &blocks)
    }
    return blocks
  }

  private func freeBlock(_ freed: NodeAllocator.FreedBlock, _ tag: UInt64) -> FreeBlock {
    FreeBlock(
      position: freed.offset, byteCount: freed.byteCount, tag: tag,
      writtenVersion: blockVersions.version(at: freed.offset))
  }

  private static func append(
    _ block: FreeBlock, to blocks: inout [FreeBlock]
  ) throws(StorageError) {
    if let last = blocks.last, last.end > block.position {
      throw .corrupted("the bytes at \(block.position) are free and in use")
    }
    if blocks.isEmpty || !blocks[blocks.count - 1].absorb(block) { blocks.append(block) }
  }

  /// Notes what a commit wrote, so that its blocks are usable again as early as possible.
  mutating func noteWritten(_ ranges: [Range<Int>], version: UInt64) {
    for range in ranges { blockVersions.insert(range, version: version) }
  }

  // MARK: Taking space

  /// Which end of a block is taken.
  enum Side {
    case low
    case high
  }

  /// Takes `wanted` usable bytes inside one section from the smallest sufficient block; failing it,
  /// all of the largest, if it has at least `needed`; nil if there is none.
  mutating func take(wanted: Int, needed: Int, from side: Side) -> Range<Int>? {
    guard let found = list.bestFit(wanted: wanted, needed: needed) else { return nil }
    return take(found, wanted, side)
  }

  /// Takes `wanted` usable bytes at `position`; nil if they are not all there.
  mutating func take(_ wanted: Int, at position: Int) -> Range<Int>? {
    guard let found = list.run(at: position), found.piece.count >= wanted else { return nil }
    return take(found, wanted, .low)
  }

  /// Takes `wanted` bytes of the smallest run of at least `room`: its first ones, or those after
  /// its middle if it has room for many such runs, so the data before it can go on.
  mutating func takeLane(_ wanted: Int, room: Int) -> Range<Int>? {
    guard var found = list.bestFit(wanted: room, needed: room) else { return nil }
    if found.piece.count > 4 * room {
      let middle = found.piece.lowerBound + found.piece.count / 2 & ~7
      found.piece = middle..<found.piece.upperBound
    }
    return take(found, wanted, .low)
  }

  private mutating func take(
    _ found: FreeBlockList.Found, _ wanted: Int, _ side: Side
  ) -> Range<Int> {
    let count = min(wanted, found.piece.count)
    assert(list[found.place].isUsable, "`FreeSpace` 2: only usable space is taken")
    assert(evacuation?.contains(found.piece) != true, "`Evacuation` 1")
    let piece =
      side == .low
      ? found.piece.lowerBound..<found.piece.lowerBound + count
      : found.piece.upperBound - count..<found.piece.upperBound
    list.carve(piece, outOf: found.place)
    return piece
  }

  /// Puts back what was taken and not used.
  ///
  /// - Parameter merging: Whether it may become one with its neighbours.
  mutating func giveBack(_ piece: Range<Int>, merging: Bool = true) throws(StorageError) {
    assert(piece.lowerBound <= piece.upperBound && piece.upperBound <= logicalSize, "`FreeSpace` 3")
    guard !piece.isEmpty else { return }
    try list.insert(
      FreeBlock(position: piece.lowerBound, byteCount: piece.count, tag: 0), merging: merging)
  }

  /// Puts the bytes of a record back, as a block of its own: it is kept for a recovery from the
  /// version before alone (`CommitRecord` 1).
  mutating func add(record piece: Range<Int>, of version: UInt64) throws(StorageError) {
    assert(version > 1 && piece.upperBound <= logicalSize, "a record follows a version")
    try list.insert(
      FreeBlock(
        position: piece.lowerBound, byteCount: piece.count, tag: version,
        writtenVersion: version - 1), merging: false)
  }

  /// The length of a file that has room for `wanted` more bytes at its end, and for commits to
  /// come: half of the file, but at least 64 KiB (the file again, if that is less) and at most
  /// 1 MiB.
  ///
  /// - Parameter isTight: Whether there shall be no such room.
  func grownSize(for wanted: Int, isTight: Bool = false, pageSize: Int) -> Int {
    let missing = wanted - usableTail.count
    let step = isTight ? 0 : max(min(logicalSize, 64 << 10), min(1 << 20, logicalSize / 2))
    // The tail may be long enough and have a section boundary in it.
    let end = logicalSize + max(step, missing > 0 ? missing : wanted)
    return (end + pageSize - 1) / pageSize * pageSize
  }

  /// The usable bytes at the end of the file.
  var usableTail: Range<Int> {
    guard let last = list.last, last.isUsable, last.end == logicalSize else {
      return logicalSize..<logicalSize
    }
    return last.position..<last.end
  }

  /// Adds the bytes between the end of the file and `newSize`.
  mutating func grow(to newSize: Int) throws(StorageError) {
    assert(newSize > logicalSize, "a file that grows becomes longer")
    try list.insert(
      FreeBlock(position: logicalSize, byteCount: newSize - logicalSize, tag: 0))
    logicalSize = newSize
    hasGrown = true
  }

  /// Gives most of the free space at the end of the file back, if there is much of it.
  ///
  /// - Parameter reserve: What stays for the next commits.
  mutating func trimTail(reserve: Int, pageSize: Int) {
    let tail = usableTail
    let end = (tail.lowerBound + reserve + pageSize - 1) / pageSize * pageSize
    guard tail.count >= 2 * reserve, end < logicalSize, let found = list.run(at: tail.lowerBound),
      end >= tail.lowerBound
    else { return }
    assert(found.piece.upperBound <= logicalSize && list[found.place].end == logicalSize)
    list.carve(end..<logicalSize, outOf: found.place)
    logicalSize = end
    assert(liveByteCount >= 0, "`FreeSpace` 3: less is free than the file has")
    hasExcess = true
  }

  // MARK: Evacuation

  /// Replaces the list: usable blocks in the evacuated regions are held, others are usable.
  mutating func hold(_ evacuation: Evacuation) {
    var blocks: [FreeBlock] = []
    blocks.reserveCapacity(list.count + 64)
    for block in list.blocks {
      guard block.isUsable else {
        blocks.append(block)
        continue
      }
      evacuation.forEachPart(of: block.position..<block.end) { part, isEvacuated in
        blocks.append(
          FreeBlock(
            position: part.lowerBound, byteCount: part.count,
            tag: isEvacuated ? FreeBlock.heldTag : 0))
      }
    }
    let held = FreeBlockList(blocks)
    assert(held.byteCount == list.byteCount, "holding blocks neither frees nor uses space")
    list = held
    self.evacuation = evacuation
  }

  /// Ends the evacuation: what it held is usable.
  mutating func endEvacuation() {
    guard evacuation != nil else { return }
    evacuation = nil
    list.retag { $0.isHeld ? 0 : nil }
  }
}
