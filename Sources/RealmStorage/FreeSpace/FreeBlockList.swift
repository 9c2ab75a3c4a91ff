// SPDX-License-Identifier: Apache-2.0

// Free blocks sorted by position, in chunks.
//
// A database with a million rows and random updates has ten thousand free blocks, and each commit
// puts a dozen in, takes two out and looks for the ones that expired. So the blocks stand in chunks
// that know a little of what is in them: a change moves the blocks of one chunk, and a search opens
// only the chunks in which it can find something.
//
// 1. Blocks are sorted, disjoint and not empty; no chunk is empty.
// 2. No block of a chunk is longer than its `longest`; `taggedCount` of them are not usable yet.

/// Free blocks in the order of the file.
struct FreeBlockList: Sendable {
  /// Where a block is.
  struct Place {
    var chunk: Int
    var index: Int
  }

  struct Chunk: Sendable {
    var blocks: [FreeBlock]
    private(set) var longest = 0
    private(set) var taggedCount = 0

    init(_ blocks: [FreeBlock]) {
      self.blocks = blocks
      measure()
    }

    mutating func measure() {
      longest = 0
      taggedCount = 0
      for block in blocks {
        longest = max(longest, block.byteCount)
        if !block.isUsable { taggedCount += 1 }
      }
    }

    mutating func insert(_ block: FreeBlock, at index: Int) {
      blocks.insert(block, at: index)
      longest = max(longest, block.byteCount)
      if !block.isUsable { taggedCount += 1 }
    }

    /// Makes a block longer.
    mutating func replace(_ index: Int, with block: FreeBlock) {
      assert(blocks[index].isUsable == block.isUsable, "`FreeBlockList` 2: the count of tags")
      assert(blocks[index].byteCount <= block.byteCount, "a replaced block only grows")
      blocks[index] = block
      longest = max(longest, block.byteCount)
    }

    @discardableResult
    mutating func remove(at index: Int) -> FreeBlock {
      let block = blocks.remove(at: index)
      if !block.isUsable { taggedCount -= 1 }
      assert(taggedCount >= 0 && block.byteCount <= longest, "`FreeBlockList` 2")
      return block
    }

    /// Gives blocks that are not usable a new tag, and merges neighbours.
    mutating func retag(_ newTag: (FreeBlock) -> UInt64?) {
      var kept = 0
      for index in blocks.indices {
        var block = blocks[index]
        if !block.isUsable, let tag = newTag(block) {
          block.tag = tag
          block.writtenVersion = 0
        }
        if kept > 0, blocks[kept - 1].absorb(block) { continue }
        blocks[kept] = block
        kept += 1
      }
      blocks.removeLast(blocks.count - kept)
      measure()
    }
  }

  static let chunkLimit = 256

  private(set) var chunks: [Chunk] = []
  private(set) var count = 0
  /// The bytes of all blocks, usable or not.
  private(set) var byteCount = 0

  /// - Parameter blocks: What satisfies invariant 1.
  init(_ blocks: [FreeBlock]) {
    assert(Self.isInOrder(blocks), "`FreeBlockList` 1")
    let half = Self.chunkLimit / 2
    for start in stride(from: 0, to: blocks.count, by: half) {
      chunks.append(Chunk(Array(blocks[start..<min(start + half, blocks.count)])))
    }
    count = blocks.count
    byteCount = blocks.reduce(0) { $0 + $1.byteCount }
  }

  /// Whether invariant 1 holds for blocks that are to be a list.
  static func isInOrder(_ blocks: [FreeBlock]) -> Bool {
    zip(blocks, blocks.dropFirst()).allSatisfy { $0.end <= $1.position }
      && blocks.allSatisfy { $0.byteCount > 0 && ($0.position | $0.byteCount) & 7 == 0 }
  }

  var blocks: [FreeBlock] { chunks.flatMap(\.blocks) }

  var last: FreeBlock? { chunks.last?.blocks.last }

  /// An upper bound of the length of a block.
  var longest: Int { chunks.reduce(0) { max($0, $1.longest) } }

  subscript(place: Place) -> FreeBlock { chunks[place.chunk].blocks[place.index] }

  /// Where a block that begins at `position` is or would be inserted; the index may be the end of
  /// its chunk. The list must not be empty.
  func place(from position: Int) -> Place {
    assert(!chunks.isEmpty, "a place in an empty list")
    var low = 0
    var high = chunks.count
    while low + 1 < high {
      let middle = (low + high) / 2
      if chunks[middle].blocks[0].position <= position { low = middle } else { high = middle }
    }
    let chunk = low
    low = 0
    high = chunks[chunk].blocks.count
    while low < high {
      let middle = (low + high) / 2
      let isBefore = chunks[chunk].blocks[middle].position < position
      if isBefore { low = middle + 1 } else { high = middle }
    }
    return Place(chunk: chunk, index: low)
  }

  // MARK: Changes

  /// Adds a block.
  ///
  /// - Parameter merging: Whether it may become one with its neighbours.
  /// - Throws: `StorageError.corrupted` if a part of it is in the list.
  mutating func insert(_ block: FreeBlock, merging: Bool = true) throws(StorageError) {
    assert(block.byteCount > 0, "`FreeBlockList` 1: no block is empty")
    assert((block.position | block.byteCount) & 7 == 0, "`FreeSpace` 1: blocks are aligned")
    guard !chunks.isEmpty else {
      chunks.append(Chunk([block]))
      count = 1
      byteCount = block.byteCount
      return
    }
    let place = place(from: block.position)
    let chunk = place.chunk
    let isAtEnd = place.index == chunks[chunk].blocks.count
    let next =
      !isAtEnd ? place : chunk + 1 < chunks.count ? Place(chunk: chunk + 1, index: 0) : nil
    let overlapsPrevious =
      place.index > 0 && chunks[chunk].blocks[place.index - 1].end > block.position
    if overlapsPrevious || next.map({ self[$0].position < block.end }) ?? false {
      throw .corrupted("the bytes at \(block.position) are free and in use")
    }
    byteCount += block.byteCount
    if merging, merge(block, at: place, next) { return }
    chunks[chunk].insert(block, at: place.index)
    count += 1
    if chunks[chunk].blocks.count > Self.chunkLimit { split(chunk) }
  }

  /// Makes `block` a part of the block before `place` or of the `next` one, or joins both.
  private mutating func merge(_ block: FreeBlock, at place: Place, _ next: Place?) -> Bool {
    if place.index > 0 {
      var previous = chunks[place.chunk].blocks[place.index - 1]
      if previous.absorb(block) {
        if let next, previous.absorb(self[next]) { remove(at: next) }
        chunks[place.chunk].replace(place.index - 1, with: previous)
        return true
      }
    }
    var block = block
    guard let next, block.absorb(self[next]) else { return false }
    chunks[next.chunk].replace(next.index, with: block)
    return true
  }

  private mutating func remove(at place: Place) {
    chunks[place.chunk].remove(at: place.index)
    count -= 1
    assert(count >= 0 && byteCount >= 0, "a list has fewer blocks than were taken out")
    if chunks[place.chunk].blocks.isEmpty { chunks.remove(at: place.chunk) }
  }

  private mutating func split(_ index: Int) {
    let blocks = chunks[index].blocks
    let middle = blocks.count / 2
    assert(middle > 0, "`FreeBlockList` 1: no chunk is empty")
    chunks[index] = Chunk(Array(blocks[..<middle]))
    chunks.insert(Chunk(Array(blocks[middle...])), at: index + 1)
  }

  /// Takes a part of a block out.
  mutating func carve(_ piece: Range<Int>, outOf place: Place) {
    var before = self[place]
    var after = before
    assert(!piece.isEmpty, "`FreeBlockList` 1: nothing is taken")
    assert(piece.lowerBound >= before.position && piece.upperBound <= before.end)
    assert(before.isUsable, "`FreeSpace` 2: only usable space is taken")
    before.byteCount = piece.lowerBound - before.position
    after.byteCount = after.end - piece.upperBound
    after.position = piece.upperBound
    byteCount -= piece.count
    switch (before.byteCount > 0, after.byteCount > 0) {
    case (true, true):
      chunks[place.chunk].blocks[place.index] = before
      chunks[place.chunk].insert(after, at: place.index + 1)
      count += 1
    case (true, false): chunks[place.chunk].blocks[place.index] = before
    case (false, true): chunks[place.chunk].blocks[place.index] = after
    case (false, false): return remove(at: place)
    }
    chunks[place.chunk].measure()
    if chunks[place.chunk].blocks.count > Self.chunkLimit { split(place.chunk) }
  }

  /// Gives blocks that are not usable a new tag.
  ///
  /// - Parameter newTag: The tag of a block whose last reader is gone; nil keeps the one it has.
  mutating func retag(_ newTag: (FreeBlock) -> UInt64?) {
    for index in chunks.indices where chunks[index].taggedCount > 0 {
      let before = chunks[index].blocks.count
      chunks[index].retag(newTag)
      count -= before - chunks[index].blocks.count
    }
    joinChunks()
  }

  /// Merges blocks across the borders of chunks, and small chunks with their neighbours.
  private mutating func joinChunks() {
    var kept = 0
    for index in chunks.indices.dropFirst() {
      let end = chunks[kept].blocks.count - 1
      var last = chunks[kept].blocks[end]
      if last.absorb(chunks[index].blocks[0]) {
        chunks[kept].replace(end, with: last)
        chunks[index].remove(at: 0)
        count -= 1
        if chunks[index].blocks.isEmpty { continue }
      }
      if end + chunks[index].blocks.count < Self.chunkLimit / 2 {
        chunks[kept] = Chunk(chunks[kept].blocks + chunks[index].blocks)
      } else {
        kept += 1
        if kept != index { chunks.swapAt(kept, index) }
      }
    }
    if !chunks.isEmpty { chunks.removeLast(chunks.count - kept - 1) }
    assert(chunks.allSatisfy { !$0.blocks.isEmpty }, "`FreeBlockList` 1: no chunk is empty")
    assert(count == chunks.reduce(0) { $0 + $1.blocks.count }, "the blocks are miscounted")
  }
}
