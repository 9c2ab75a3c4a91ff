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

  /// Cells of 16 bytes.
  private static func pairs(
    _ start: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64,
    _ upcoming: UnsafeRawPointer
  ) -> LeafMask {
    LeafMask(
      words: SIMD4(
        sixtyFour(start, count, low, high, upcoming),
        sixtyFour(start + 1024, count &- 64, low, high, upcoming + 1024),
        sixtyFour(start + 2048, count &- 128, low, high, upcoming + 2048),
        sixtyFour(start + 3072, count &- 192, low, high, upcoming + 3072)))
  }

  /// The same for the first 64 of `count` cells, if that many, without a branch that depends on
  /// them: how many match does not change what it costs.
  @inline(never)
  private static func sixtyFour(
    _ start: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64,
    _ upcoming: UnsafeRawPointer
  ) -> UInt64 {
    @inline(__always) func isWanted(_ index: Int) -> UInt64 {
      let cell = start + index &* 16
      let different =
        (cell.load(as: UInt64.self) ^ low)
        | (cell.load(fromByteOffset: 8, as: UInt64.self) ^ high)
      return different == 0 ? 1 : 0
    }
    NodeSpace.prefetch(upcoming, lines: 16)
    var bits: UInt64 = 0
    let end = min(count, 64)
    var index = 0
    while index &+ 4 <= end {
      let four =
        isWanted(index) | isWanted(index &+ 1) &<< 1 | isWanted(index &+ 2) &<< 2
        | isWanted(index &+ 3) &<< 3
      bits |= four &<< UInt64(truncatingIfNeeded: index)
      index &+= 4
    }
    while index < end {
      bits |= isWanted(index) &<< UInt64(truncatingIfNeeded: index)
      index &+= 1
    }
    return bits
  }

  /// Bit i tells whether the first eight bytes of cell i, as a big-endian number, lie in a range or
  /// the cell is null.
  ///
  /// - Safety: `cells` holds `count` cells of 16 bytes.
  static func mask(
    _ cells: UnsafeRawPointer, count: Int, headsIn heads: ClosedRange<UInt64>
  ) -> LeafMask {
    let span = heads.upperBound &- heads.lowerBound
    var mask = LeafMask.none
    for row in 0..<count {
      let cell = cells + row &* 16
      let head = UInt64(bigEndian: cell.load(as: UInt64.self))
      let isNull = cell.load(fromByteOffset: 15, as: UInt8.self) == 16
      if head &- heads.lowerBound <= span || isNull { mask.insert(row) }
    }
    return mask
  }
}
