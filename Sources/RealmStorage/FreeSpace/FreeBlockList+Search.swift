// SPDX-License-Identifier: Apache-2.0

// Finding usable blocks, and writing the list down.

extension FreeBlockList {
  /// A usable run of bytes inside one section, and the block that it lies in.
  typealias Found = (piece: Range<Int>, place: Place)

  /// The smallest run of at least `wanted` bytes; failing that the largest of at least `needed`.
  ///
  /// Estimate: one access to each chunk, and a pass over the few that hold better ones.
  func bestFit(wanted: Int, needed: Int) -> Found? {
    assert(needed > 0 && wanted > 0, "a run of nothing is asked for")
    var best: Found?
    for chunk in chunks.indices {
      let longest = chunks[chunk].longest
      guard longest >= needed else { continue }
      if let size = best?.piece.count {
        if size == wanted { break }
        guard longest >= (size > wanted ? wanted : size + 1) else { continue }
      }
      for (index, block) in chunks[chunk].blocks.enumerated() {
        guard block.isUsable, block.byteCount >= needed else { continue }
        Self.forEachPiece(of: block) { piece in
          guard piece.count >= needed else { return }
          if let old = best?.piece.count {
            let isBetter =
              piece.count >= wanted
              ? old < wanted || piece.count < old : old < wanted && piece.count > old
            guard isBetter else { return }
          }
          best = (piece, Place(chunk: chunk, index: index))
        }
      }
    }
    return best
  }

  /// The run that begins at `position`, up to the end of its block or section.
  func run(at position: Int) -> Found? {
    guard !chunks.isEmpty else { return nil }
    let place = place(from: position)
    guard place.index < chunks[place.chunk].blocks.count else { return nil }
    let block = self[place]
    guard block.position == position, block.isUsable else { return nil }
    let section = FreeSpace.sectionByteCount
    return (position..<min(block.end, (position / section + 1) * section), place)
  }

  /// The parts of a block between the borders of sections.
  @inline(__always)
  private static func forEachPiece(of block: FreeBlock, _ body: (Range<Int>) -> Void) {
    let section = FreeSpace.sectionByteCount
    var start = block.position
    while start < block.end {
      let end = min(block.end, (start / section + 1) * section)
      assert(start < end, "`NodePlacement` 1: a run lies in one section")
      body(start..<end)
      start = end
    }
  }

  // MARK: Packing

  /// A field of free blocks that the file has a list of.
  enum Field {
    case position
    case byteCount
    case tag
  }

  /// Stores one field of all blocks as packed integers.
  ///
  /// Estimate: under 1 ns a block.
  func pack(_ field: Field, to payload: UnsafeMutableRawPointer, widthCode: Int) {
    switch field {
    case .position: unsafe pack(to: payload, widthCode) { $0.position }
    case .byteCount: unsafe pack(to: payload, widthCode) { $0.byteCount }
    case .tag:
      unsafe pack(to: payload, widthCode) { $0.isHeld ? 0 : Int(truncatingIfNeeded: $0.tag) }
    }
  }

  @inline(__always)
  private func pack(
    to payload: UnsafeMutableRawPointer, _ widthCode: Int, _ value: (FreeBlock) -> Int
  ) {
    switch widthCode {
    case 4: unsafe pack(to: payload, as: Int8.self, value)
    case 5: unsafe pack(to: payload, as: Int16.self, value)
    case 6: unsafe pack(to: payload, as: Int32.self, value)
    case 7: unsafe pack(to: payload, as: Int64.self, value)
    default:
      var next = 0
      for chunk in chunks {
        for block in chunk.blocks {
          unsafe PackedIntegers.store(
            Int64(value(block)), to: payload, widthCode: widthCode, at: next)
          next += 1
        }
      }
    }
  }

  @inline(__always)
  private func pack<Element: FixedWidthInteger & BitwiseCopyable>(
    to payload: UnsafeMutableRawPointer, as type: Element.Type, _ value: (FreeBlock) -> Int
  ) {
    var target = unsafe payload
    for chunk in chunks {
      unsafe chunk.blocks.withUnsafeBufferPointer { blocks in
        for index in 0..<blocks.count {
          unsafe target.storeBytes(
            of: Element(truncatingIfNeeded: value(blocks[index])),
            toByteOffset: index &* MemoryLayout<Element>.size, as: type)
        }
        unsafe target += blocks.count &* MemoryLayout<Element>.size
      }
    }
  }
}
