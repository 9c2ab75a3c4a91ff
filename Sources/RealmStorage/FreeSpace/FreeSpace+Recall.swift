// SPDX-License-Identifier: Apache-2.0

// The writers of free blocks, after a commit of another process.
//
// The free lists of the file say when a block was freed, not when it was written, and a block of an
// unknown writer is kept for every older reader. So a process takes over its knowledge of an
// earlier version when it reads the lists again: blocks were written later if they were free then,
// and maybe by the process itself if they were in use. Otherwise several writers in turn, beside a
// reader of one old version, would make the file grow with each turn.

extension FreeSpace {
  /// Takes over the knowledge of an earlier version.
  ///
  /// - Parameters:
  ///   - old: The free space of the earlier version, as this process knew it.
  ///   - version: The number of the earlier version. Blocks written later count as written by it:
  ///     so they are kept longer than needed, and never shorter, records of commits included.
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

  /// The writer of the bytes of a block from `start` on, and where its bytes end.
  ///
  /// - Parameter other: The first free block of this space with its end behind `start`.
  private func writer(
    of block: FreeBlock, from start: Int, _ other: FreeBlock?, _ version: UInt64
  ) -> (end: Int, version: UInt64) {
    if let other, other.position <= start {
      let end = min(block.end, other.end)
      if block.tag > version { return (end, version) }
      // No version before the tag needs a block of usable space.
      if other.isUsable || other.isHeld { return (end, block.tag) }
      return (end, other.tag == block.tag ? other.writtenVersion : 0)
    }
    guard start < logicalSize else { return (block.end, version) }
    let (writer, end) = blockVersions.run(at: start)
    return (min(block.end, end, other?.position ?? logicalSize), writer)
  }

  /// The bytes in use now of the free space then, and of the growth since.
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
