// SPDX-License-Identifier: Apache-2.0

// Which commit wrote which free blocks, when another process has committed since.
//
// The free lists of the file say when a block was freed, not when it was written, and a block of
// which that is unknown is kept for every older reader. So a process that reads the lists again
// takes over what it knew of an earlier version: what was free then was written later, and what was
// in use then, it may have written itself. Otherwise writers that take turns, beside a reader that
// stays at one version, would make the file grow with each turn.

extension FreeSpace {
  /// Takes over what is known of an earlier version.
  ///
  /// - Parameters:
  ///   - old: The free space of that version, as this process knew it.
  ///   - version: The number of that version. Blocks that were written after it count as written by
  ///     it: that keeps them longer than needed, and never shorter, records of commits included.
  mutating func recall(_ old: FreeSpace, of version: UInt64) {
    let before = old.list.blocks
    var blocks: [FreeBlock] = []
    blocks.reserveCapacity(list.count)
    var next = 0
    for block in list.blocks {
      guard block.tag > 0 else {
        blocks.append(block)
        continue
      }
      var start = block.position
      while start < block.end {
        while next < before.count, before[next].end <= start { next += 1 }
        let other = next < before.count ? before[next] : nil
        let (end, writer) = old.writer(of: block, from: start, other, version)
        let part = FreeBlock(
          position: start, byteCount: end - start, tag: block.tag, writtenVersion: writer)
        if start == block.position || !blocks[blocks.count - 1].absorb(part) { blocks.append(part) }
        start = end
      }
    }
    blockVersions = old.blockVersions
    blockVersions.insert(old.usedSince(list.blocks, logicalSize), version: version)
    list = FreeBlockList(blocks)
  }

  /// Which version wrote the bytes of a block from `start` on, and where those end that it wrote.
  ///
  /// - Parameter other: The first free block of this space that does not end before.
  private func writer(
    of block: FreeBlock, from start: Int, _ other: FreeBlock?, _ version: UInt64
  ) -> (end: Int, version: UInt64) {
    if let other, other.position <= start {
      let end = min(block.end, other.end)
      if block.tag > version { return (end, version) }
      // What was usable then is needed by no version before the tag.
      if other.isUsable || other.isHeld { return (end, block.tag) }
      return (end, other.tag == block.tag ? other.writtenVersion : 0)
    }
    guard start < logicalSize else { return (block.end, version) }
    let (writer, end) = blockVersions.run(at: start)
    return (min(block.end, end, other?.position ?? logicalSize), writer)
  }

  /// What was free, or behind the end, and is neither now.
  private func usedSince(_ now: [FreeBlock], _ newSize: Int) -> [Range<Int>] {
    var free = list.blocks.map { $0.position..<$0.end }
    if newSize > logicalSize { free.append(logicalSize..<newSize) }
    var used: [Range<Int>] = []
    var next = 0
    for range in free {
      var start = range.lowerBound
      while start < range.upperBound {
        while next < now.count, now[next].end <= start { next += 1 }
        let block = next < now.count ? now[next] : nil
        let end = min(range.upperBound, block?.position ?? range.upperBound)
        if start < end { used.append(start..<end) }
        start = max(end, min(range.upperBound, block?.end ?? range.upperBound))
      }
    }
    return used
  }
}
