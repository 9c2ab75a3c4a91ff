// SPDX-License-Identifier: Apache-2.0

// Which floating-point values lie in a range.
//
// NaN lies in no range, and null is stored as a NaN, so neither needs a test of its own.

/// Range tests over the cells of Float and Double leaves.
package enum FloatingRange {
  /// Bit i tells whether value i lies in `lower...upper`.
  ///
  /// - Safety: `cells` holds `count` values, at most 256.
  @inline(never)
  package static func mask(
    doubles cells: UnsafeRawPointer, count: Int, lower: Double, upper: Double
  ) -> LeafMask {
    var mask = LeafMask.none
    var index = 0
    while index < count {
      var bits: UInt64 = 0
      let end = min(count, index &+ 64)
      var shift: UInt64 = 0
      var position = index
      while position < end {
        let value = cells.load(fromByteOffset: position &* 8, as: Double.self)
        bits |= ((value >= lower ? 1 : 0) & (value <= upper ? 1 : 0)) &<< shift
        shift &+= 1
        position &+= 1
      }
      mask.words[index &>> 6] = bits
      index = end
    }
    return mask
  }

  /// Bit i tells whether value i lies in `lower...upper`.
  ///
  /// - Safety: `cells` holds `count` values, at most 256.
  @inline(never)
  package static func mask(
    floats cells: UnsafeRawPointer, count: Int, lower: Float, upper: Float
  ) -> LeafMask {
    var mask = LeafMask.none
    var index = 0
    while index < count {
      var bits: UInt64 = 0
      let end = min(count, index &+ 64)
      var shift: UInt64 = 0
      var position = index
      while position < end {
        let value = cells.load(fromByteOffset: position &* 4, as: Float.self)
        bits |= ((value >= lower ? 1 : 0) & (value <= upper ? 1 : 0)) &<< shift
        shift &+= 1
        position &+= 1
      }
      mask.words[index &>> 6] = bits
      index = end
    }
    return mask
  }

  /// Bit i tells whether cell i has exactly these bits.
  ///
  /// - Safety: `cells` holds `count` cells of 8 bytes, at most 256.
  package static func mask(
    cells8 cells: UnsafeRawPointer, count: Int, equalTo bits: UInt64
  ) -> LeafMask {
    PackedRange.doubleWords(cells, count, bits, 0)
  }

  /// Bit i tells whether cell i has exactly these bits.
  ///
  /// - Safety: `cells` holds `count` cells of 4 bytes, at most 256.
  package static func mask(
    cells4 cells: UnsafeRawPointer, count: Int, equalTo bits: UInt32
  ) -> LeafMask {
    PackedRange.words(cells, count, bits, 0)
  }
}
