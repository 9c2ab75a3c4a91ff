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

  /// Bit i says whether cell i is this one.
  ///
  /// - Parameter upcoming: where the cells are that are read next: they are asked for meanwhile.
  func mask(_ cells: UnsafeRawPointer, count: Int, upcoming: UnsafeRawPointer) -> LeafMask {
    let words =
      switch width {
      case 1:
        unsafe CellMasks.bytes(cells, count, UInt8(truncatingIfNeeded: low), 0, upcoming: upcoming)
      case 2:
        unsafe CellMasks.halves(
          cells, count, UInt16(truncatingIfNeeded: low), 0, upcoming: upcoming)
      case 4:
        unsafe CellMasks.words(cells, count, UInt32(truncatingIfNeeded: low), 0, upcoming: upcoming)
      case 8: unsafe CellMasks.doubleWords(cells, count, low, 0, upcoming: upcoming)
      default: unsafe CellMasks.pairs(cells, count, low, high, upcoming: upcoming)
      }
    return LeafMask(words: words)
  }

  /// Bit i says whether the first eight bytes of cell i, as a big-endian number, lie in a range or
  /// the cell is null.
  ///
  /// - Safety: `cells` holds `count` cells of 16 bytes.
  static func mask(
    _ cells: UnsafeRawPointer, count: Int, headsIn heads: ClosedRange<UInt64>
  ) -> LeafMask {
    let span = heads.upperBound &- heads.lowerBound
    var mask = LeafMask.none
    for row in 0..<count {
      let cell = unsafe cells + row &* 16
      let head = unsafe UInt64(bigEndian: cell.load(as: UInt64.self))
      let isNull = unsafe cell.load(fromByteOffset: 15, as: UInt8.self) == 16
      if head &- heads.lowerBound <= span || isNull { mask.insert(row) }
    }
    return mask
  }
}
