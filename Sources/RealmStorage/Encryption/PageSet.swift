// SPDX-License-Identifier: Apache-2.0

// Sets of pages, with a word of bits for each block of an encrypted file.

/// Numbers of pages.
struct PageSet: Sendable {
  /// A bit for each page of a block; blocks beyond the end have none.
  private(set) var masks: [UInt64] = []
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  func contains(_ page: Int) -> Bool { mask(ofBlock: page / 64) >> UInt64(page % 64) & 1 != 0 }

  /// The pages of a block, one bit each.
  func mask(ofBlock block: Int) -> UInt64 { block < masks.count ? masks[block] : 0 }

  mutating func insert(_ page: Int) {
    let block = page / 64
    if block >= masks.count {
      masks.append(contentsOf: repeatElement(0, count: block + 1 - masks.count))
    }
    let bit: UInt64 = 1 << UInt64(page % 64)
    if masks[block] & bit == 0 { count += 1 }
    masks[block] |= bit
  }

  mutating func remove(_ page: Int) {
    guard contains(page) else { return }
    masks[page / 64] &= ~(1 << UInt64(page % 64))
    count -= 1
  }

  mutating func removeAll() {
    masks.removeAll(keepingCapacity: true)
    count = 0
  }

  /// The pages, ascending.
  var pages: [Int] {
    var pages: [Int] = []
    pages.reserveCapacity(count)
    for (block, mask) in masks.enumerated() {
      var rest = mask
      while rest != 0 {
        pages.append(block * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return pages
  }
}

extension UInt64 {
  /// The runs of ones, lowest first.
  var runs: [Range<Int>] {
    var runs: [Range<Int>] = []
    var position = 0
    while position < 64 {
      let zeros = (self >> UInt64(position)).trailingZeroBitCount
      guard zeros < 64 else { break }
      let start = position + zeros
      let ones = (~(self >> UInt64(start))).trailingZeroBitCount
      runs.append(start..<start + ones)
      position = start + ones
    }
    return runs
  }
}
