// SPDX-License-Identifier: Apache-2.0

// The floating-point values that lie in a range.
//
// NaN lies in no range, and null is stored as a NaN, so neither needs a test of its own.

/// Range tests over the cells of Float and Double leaves.
package enum FloatingRange {
  /// Bit i says whether value i lies in `lower...upper`.
  ///
  /// - Parameter upcoming: memory to ask for meanwhile.
  /// - Safety: `cells` holds `count` values, at most 256.
  @inline(__always)
  package static func mask(
    doubles cells: UnsafeRawPointer, count: Int, lower: Double, upper: Double,
    upcoming: UnsafeRawPointer
  ) -> LeafMask {
    unsafe LeafMask(words: CellMasks.doubles(cells, count, lower, upper, upcoming: upcoming))
  }

  /// Bit i says whether value i lies in `lower...upper`.
  ///
  /// - Parameter upcoming: memory to ask for meanwhile.
  /// - Safety: `cells` holds `count` values, at most 256.
  @inline(__always)
  package static func mask(
    floats cells: UnsafeRawPointer, count: Int, lower: Float, upper: Float,
    upcoming: UnsafeRawPointer
  ) -> LeafMask {
    unsafe LeafMask(words: CellMasks.floats(cells, count, lower, upper, upcoming: upcoming))
  }

  /// Bit i says whether cell i has exactly these bits.
  ///
  /// - Parameter upcoming: memory to ask for meanwhile.
  /// - Safety: `cells` holds `count` cells of 8 bytes, at most 256.
  package static func mask(
    cells8 cells: UnsafeRawPointer, count: Int, equalTo bits: UInt64, upcoming: UnsafeRawPointer
  ) -> LeafMask {
    unsafe LeafMask(words: CellMasks.doubleWords(cells, count, bits, 0, upcoming: upcoming))
  }

  /// Bit i says whether cell i has exactly these bits.
  ///
  /// - Parameter upcoming: memory to ask for meanwhile.
  /// - Safety: `cells` holds `count` cells of 4 bytes, at most 256.
  package static func mask(
    cells4 cells: UnsafeRawPointer, count: Int, equalTo bits: UInt32, upcoming: UnsafeRawPointer
  ) -> LeafMask {
    unsafe LeafMask(words: CellMasks.words(cells, count, bits, 0, upcoming: upcoming))
  }
}
