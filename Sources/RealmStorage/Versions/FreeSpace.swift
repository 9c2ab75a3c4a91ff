// SPDX-License-Identifier: Apache-2.0

// The free blocks of a file (file format, part 2, section 2), kept in memory between commits.
//
// 1. Blocks are sorted by position, disjoint, aligned to 8 and not empty.
// 2. A block may be overwritten only if it is usable: no version that anybody can look at, the one
//    that the header selects included, is older than its tag and at least its birth. Space that
//    the running commit gives up is tagged with the new version, and so is not usable before the
//    next one.
// 3. Blocks and reachable nodes together cover the file up to `logicalSize`.

/// A run of unused bytes of the file.
struct FreeBlock: Hashable, Sendable {
  var position: Int
  var byteCount: Int
  /// The version whose commit freed the block; 0 once every reader is past it.
  var tag: UInt64
  /// The version that wrote what was there; 0 if it is not known, or does not matter any more.
  var birth: UInt64 = 0

  var end: Int { position + byteCount }

  /// Takes in a block that follows and is usable by the same readers. False if it does not or is
  /// not.
  mutating func absorb(_ next: FreeBlock) -> Bool {
    guard end == next.position, tag == next.tag, birth == next.birth else { return false }
    byteCount += next.byteCount
    return true
  }
}

/// The free blocks below the logical size of a file.
struct FreeSpace: Sendable {
  private(set) var blocks: [FreeBlock]
  private(set) var logicalSize: Int
  private var births = BirthMap()

  /// A window of the file that no node may cross the border of.
  static let sectionByteCount = 64 << 20

  init(blocks: [FreeBlock] = [], logicalSize: Int) {
    self.blocks = blocks
    self.logicalSize = logicalSize
  }

  /// Reads the free lists of a version.
  ///
  /// - Throws: `StorageError.corrupted` if they contradict invariant 1.
  init(_ top: TopArray, in space: NodeSpace) throws(StorageError) {
    self.init(logicalSize: top.logicalSize)
    guard !top.freePositions.isNull else { return }
    let positions = try Self.integers(at: top.freePositions, in: space)
    let lengths = try Self.integers(at: top.freeLengths, in: space)
    let versions =
      top.freeVersions.isNull ? nil : try Self.integers(at: top.freeVersions, in: space)
    guard positions.count == lengths.count, versions.map({ $0.count == lengths.count }) ?? true
    else { throw .corrupted("the free lists differ in length") }
    blocks.reserveCapacity(positions.count)
    var previousEnd = FileHeader.byteCount
    for index in 0..<positions.count {
      let position = Int(positions.uncheckedInteger(at: index))
      let byteCount = Int(lengths.uncheckedInteger(at: index))
      let tag = versions?.uncheckedInteger(at: index) ?? 0
      guard position >= previousEnd, position & 7 == 0, byteCount > 0, byteCount & 7 == 0,
        byteCount <= logicalSize, position <= logicalSize - byteCount, tag >= 0
      else { throw .corrupted("the free block at \(position) is impossible") }
      blocks.append(FreeBlock(position: position, byteCount: byteCount, tag: UInt64(tag)))
      previousEnd = position + byteCount
    }
  }

  private static func integers(at ref: Ref, in space: NodeSpace) throws(StorageError) -> Node {
    let node = try space.node(at: ref)
    guard node.header.layout == .bits, !node.header.hasRefs else {
      throw .corrupted("the node at \(ref.offset) is no free list")
    }
    return node
  }

  /// The free bytes, usable or not.
  var freeByteCount: Int { blocks.reduce(0) { $0 + $1.byteCount } }

  // MARK: Commits

  /// Marks as usable what no reader can need any more, and merges what is usable.
  ///
  /// - Parameter pinned: The versions that can be looked at, ascending; not empty.
  mutating func expire(pinned: [UInt64]) {
    let oldest = pinned.first ?? 0
    if pinned.count == 1 { births.removeAll() }
    var kept = 0
    for index in blocks.indices {
      var block = blocks[index]
      if block.tag <= oldest || !Self.isNeeded(block, by: pinned) {
        block.tag = 0
        block.birth = 0
      }
      if kept > 0, blocks[kept - 1].absorb(block) { continue }
      blocks[kept] = block
      kept += 1
    }
    blocks.removeLast(blocks.count - kept)
  }

  private static func isNeeded(_ block: FreeBlock, by pinned: [UInt64]) -> Bool {
    guard block.birth > 0 else { return true }
    return pinned.contains { block.birth <= $0 && $0 < block.tag }
  }

  /// Adds what a commit gives up.
  ///
  /// - Throws: `StorageError.corrupted` if any of it is free already: the file uses a node twice.
  mutating func add(
    freed: [NodeAllocator.FreedBlock], tag: UInt64
  ) throws(StorageError) {
    guard !freed.isEmpty else { return }
    // A small commit frees a dozen nodes beside thousands of blocks: those are put in one by one.
    if freed.count <= blocks.count / 64 {
      for block in freed { try insert(block, tag) }
      return
    }
    let freed = freed.sorted { $0.offset < $1.offset }
    var merged: [FreeBlock] = []
    merged.reserveCapacity(blocks.count + freed.count)
    var next = 0
    for block in blocks {
      while next < freed.count, freed[next].offset < block.position {
        try append(freed[next], tag, to: &merged)
        next += 1
      }
      try Self.append(block, to: &merged)
    }
    while next < freed.count {
      try append(freed[next], tag, to: &merged)
      next += 1
    }
    blocks = merged
  }

  private mutating func insert(
    _ freed: NodeAllocator.FreedBlock, _ tag: UInt64
  ) throws(StorageError) {
    let block = FreeBlock(
      position: freed.offset, byteCount: freed.byteCount, tag: tag,
      birth: births.version(at: freed.offset))
    let next = firstBlock(from: block.position)
    let isUsedTwice =
      (next > 0 && blocks[next - 1].end > block.position)
      || (next < blocks.count && blocks[next].position < block.end)
    if isUsedTwice { throw .corrupted("the bytes at \(block.position) are free and in use") }
    if next > 0, blocks[next - 1].absorb(block) {
      if next < blocks.count, blocks[next - 1].absorb(blocks[next]) { blocks.remove(at: next) }
      return
    }
    blocks.insert(block, at: next)
    if next + 1 < blocks.count, blocks[next].absorb(blocks[next + 1]) {
      blocks.remove(at: next + 1)
    }
  }

  /// The index of the first block that does not begin before `position`.
  private func firstBlock(from position: Int) -> Int {
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].position < position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func append(
    _ freed: NodeAllocator.FreedBlock, _ tag: UInt64, to blocks: inout [FreeBlock]
  ) throws(StorageError) {
    let birth = births.version(at: freed.offset)
    try Self.append(
      FreeBlock(position: freed.offset, byteCount: freed.byteCount, tag: tag, birth: birth),
      to: &blocks)
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
    for range in ranges { births.insert(range, version: version) }
  }

  // MARK: Taking space

  /// Takes a usable run of bytes inside one section out of the list: the smallest that holds
  /// `wanted`; failing that the largest, if it holds `needed` and is not a mere splinter of what
  /// is wanted; nil if there is none.
  ///
  /// Estimate: one pass over the list, 24 bytes a block.
  mutating func take(wanted: Int, needed: Int) -> Range<Int>? {
    var best: Range<Int>?
    var bestIndex = 0
    for (index, block) in blocks.enumerated() where block.tag == 0 && block.byteCount >= needed {
      var start = block.position
      while start < block.end {
        let sectionEnd = (start / Self.sectionByteCount + 1) * Self.sectionByteCount
        let piece = start..<min(sectionEnd, block.end)
        start = piece.upperBound
        guard piece.count >= needed else { continue }
        if let old = best {
          let fits = piece.count >= wanted
          let oldFits = old.count >= wanted
          let isBetter =
            fits
            ? !oldFits || piece.count < old.count : !oldFits && piece.count > old.count
          guard isBetter else { continue }
        }
        best = piece
        bestIndex = index
      }
    }
    guard let best, best.count >= wanted || best.count >= wanted / 16 else { return nil }
    carve(best, outOf: bestIndex)
    return best
  }

  private mutating func carve(_ piece: Range<Int>, outOf index: Int) {
    let block = blocks[index]
    let before = FreeBlock(
      position: block.position, byteCount: piece.lowerBound - block.position, tag: 0)
    let after = FreeBlock(
      position: piece.upperBound, byteCount: block.end - piece.upperBound, tag: 0)
    blocks.replaceSubrange(index...index, with: [before, after].filter { $0.byteCount > 0 })
  }

  /// Puts back what was taken and not used.
  mutating func giveBack(_ piece: Range<Int>) {
    guard !piece.isEmpty else { return }
    blocks.insert(
      FreeBlock(position: piece.lowerBound, byteCount: piece.count, tag: 0),
      at: firstBlock(from: piece.lowerBound))
  }

  /// Makes the file longer: twice as long below 1 MiB, then by 1 MiB, or as much as is wanted.
  mutating func grow(by wanted: Int, pageSize: Int) {
    let step = logicalSize < 1 << 20 ? logicalSize : 1 << 20
    let end = logicalSize + max(step, wanted)
    let newSize = (end + pageSize - 1) / pageSize * pageSize
    let added = FreeBlock(position: logicalSize, byteCount: newSize - logicalSize, tag: 0)
    if let last = blocks.last, last.end == logicalSize, last.tag == 0 {
      blocks[blocks.count - 1].byteCount += added.byteCount
    } else {
      blocks.append(added)
    }
    logicalSize = newSize
  }
}
