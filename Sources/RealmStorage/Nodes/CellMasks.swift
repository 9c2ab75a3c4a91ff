// SPDX-License-Identifier: Apache-2.0

// Which cells of a node match, as bits.

import CRealmPlatform

/// Tests of up to 256 cells side by side. Bit `i & 63` of word `i >> 6` tells of cell i.
///
/// All take memory to ask for meanwhile, as much as the cells take and one line more, which need
/// not be mapped.
///
/// - Safety: the memory at `cells` holds `count` cells, at most 256.
package enum CellMasks {
  /// The cells for which `cell - lower <= span`, wrapping around.
  @inlinable @inline(__always)
  package static func bytes(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: UInt8, _ span: UInt8,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    filled { realm_mask_bytes(cells, count, lower, span, upcoming, $0) }
  }

  /// The same for cells of two bytes.
  @inlinable @inline(__always)
  package static func halves(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: UInt16, _ span: UInt16,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    filled { realm_mask_halves(cells, count, lower, span, upcoming, $0) }
  }

  /// The same for cells of four bytes.
  @inlinable @inline(__always)
  package static func words(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: UInt32, _ span: UInt32,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    filled { realm_mask_words(cells, count, lower, span, upcoming, $0) }
  }

  /// The same for cells of eight bytes.
  @inlinable @inline(__always)
  package static func doubleWords(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: UInt64, _ span: UInt64,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    filled { realm_mask_double_words(cells, count, lower, span, upcoming, $0) }
  }

  /// The numbers in `lower...upper`; NaN is in no range.
  @inlinable @inline(__always)
  package static func floats(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: Float, _ upper: Float,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    filled { realm_mask_floats(cells, count, lower, upper, upcoming, $0) }
  }

  /// The numbers in `lower...upper`; NaN is in no range.
  @inlinable @inline(__always)
  package static func doubles(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: Double, _ upper: Double,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    filled { realm_mask_doubles(cells, count, lower, upper, upcoming, $0) }
  }

  /// The cells of 16 bytes that are the two words.
  @inlinable @inline(__always)
  package static func pairs(
    _ cells: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    filled { realm_mask_pairs(cells, count, low, high, upcoming, $0) }
  }

  @inlinable @inline(__always)
  static func filled(_ fill: (UnsafeMutablePointer<UInt64>) -> Void) -> SIMD4<UInt64> {
    var mask = SIMD4<UInt64>.zero
    withUnsafeMutablePointer(to: &mask) { $0.withMemoryRebound(to: UInt64.self, capacity: 4, fill) }
    return mask
  }
}
