// SPDX-License-Identifier: Apache-2.0

// Equality over the form of byte leaves in which each value has a cell of its own.

import RealmStorage

/// A short string as the cells of a leaf hold it, so that cells are compared as integers.
struct ShortCell {
  private let low: UInt64
  private let high: UInt64
  private let width: Int

  /// Nil if no cell of that width can hold the value.
  init?(_ value: ByteView?, width: Int) {
    var low: UInt64 = 0
    var high: UInt64 = 0
    func put(_ byte: UInt8, at index: Int) {
      let shifted = UInt64(byte) &<< UInt64(truncatingIfNeeded: (index & 7) &* 8)
      if index < 8 { low |= shifted } else { high |= shifted }
    }
    if let value {
      guard value.count < width else { return nil }
      for index in 0..<value.count { put(value[index], at: index) }
      put(UInt8(width - 1 - value.count), at: width - 1)
    } else {
      put(UInt8(width), at: width - 1)
    }
    self.low = low
    self.high = high
    self.width = width
  }

  /// Bit i tells whether cell i is this one.
  ///
  /// - Parameter upcoming: where the cells are that are read next: they are asked for meanwhile.
  func mask(
    _ cells: UnsafeRawPointer, count: Int, upcoming: UnsafeRawPointer
  ) -> LeafMask {
    switch width {
    case 1: PackedRange.bytes(cells, count, UInt8(truncatingIfNeeded: low), 0)
    case 2: PackedRange.halves(cells, count, UInt16(truncatingIfNeeded: low), 0)
    case 4: PackedRange.words(cells, count, UInt32(truncatingIfNeeded: low), 0)
    case 8: PackedRange.doubleWords(cells, count, low, 0)
    default: ShortCell.pairs(cells, count, low, high, upcoming)
    }
  }

  /// Rows in which the half that was looked at first matches, few enough to look at the other half
  /// one by one.
  private static let fewCandidates = 32

  /// Few cells have a first half in common with the wanted one; where many do, the second half of
  /// all of them is read.
  private static func pairs(
    _ cells: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64,
    _ upcoming: UnsafeRawPointer
  ) -> LeafMask {
    var found = half(cells, count, low, upcoming)
    guard !found.isEmpty else { return .none }
    guard found.count <= fewCandidates else { return found & half(cells + 8, count, high, cells) }
    for row in found
    where cells.load(fromByteOffset: row &* 16 &+ 8, as: UInt64.self) != high {
      found.words[row &>> 6] &= ~(1 &<< UInt64(truncatingIfNeeded: row & 63))
    }
    return found
  }

  /// Bit i tells whether the word at byte `16 * i` is `wanted`.
  private static func half(
    _ start: UnsafeRawPointer, _ count: Int, _ wanted: UInt64, _ upcoming: UnsafeRawPointer
  ) -> LeafMask {
    LeafMask(
      words: SIMD4(
        sixtyFour(start, count, wanted, upcoming),
        sixtyFour(start + 1024, count &- 64, wanted, upcoming + 1024),
        sixtyFour(start + 2048, count &- 128, wanted, upcoming + 2048),
        sixtyFour(start + 3072, count &- 192, wanted, upcoming + 3072)))
  }

  /// The same for the first 64 of `count` words, if that many.
  @inline(never)
  private static func sixtyFour(
    _ start: UnsafeRawPointer, _ count: Int, _ wanted: UInt64, _ upcoming: UnsafeRawPointer
  ) -> UInt64 {
    @inline(__always) func isWanted(_ index: Int) -> Bool {
      start.load(fromByteOffset: index &* 16, as: UInt64.self) == wanted
    }
    let end = min(count, 64)
    var bits: UInt64 = 0
    var index = 0
    while index &+ 8 <= end {
      NodeSpace.prefetch(upcoming + index &* 16)
      NodeSpace.prefetch(upcoming + (index &* 16 &+ 64))
      // Most eights hold no match: one branch that is nearly always foreseen.
      let isAny =
        isWanted(index) || isWanted(index &+ 1) || isWanted(index &+ 2) || isWanted(index &+ 3)
        || isWanted(index &+ 4) || isWanted(index &+ 5) || isWanted(index &+ 6)
        || isWanted(index &+ 7)
      if isAny {
        for position in index..<index &+ 8 {
          bits |= (isWanted(position) ? 1 : 0) &<< UInt64(truncatingIfNeeded: position)
        }
      }
      index &+= 8
    }
    while index < end {
      bits |= (isWanted(index) ? 1 : 0) &<< UInt64(truncatingIfNeeded: index)
      index &+= 1
    }
    return bits
  }
}
