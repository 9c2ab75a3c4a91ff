// SPDX-License-Identifier: Apache-2.0

// The cells of a node that match, as bits.

import CRealmPlatform

/// Tests of up to 256 cells side by side. Bit `i & 63` of word `i >> 6` is that of cell i.
///
/// All take memory to ask for meanwhile, as much as the cells take and one line more, which need
/// not be mapped.
///
/// - Safety: the memory at `cells` holds `count` cells, at most 256.
enum CellMasks {
  /// The cells for which `cell - lower <= span`, wrapping around.
  @inline(__always)
  static func bytes(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: UInt8, _ span: UInt8,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    unsafe filled { unsafe realm_mask_bytes(cells, count, lower, span, upcoming, $0) }
  }

  /// The same for cells of two bytes.
  @inline(__always)
  static func halves(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: UInt16, _ span: UInt16,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    unsafe filled { unsafe realm_mask_halves(cells, count, lower, span, upcoming, $0) }
  }

  /// The same for cells of four bytes.
  @inline(__always)
  static func words(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: UInt32, _ span: UInt32,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    unsafe filled { unsafe realm_mask_words(cells, count, lower, span, upcoming, $0) }
  }

  /// The same for cells of eight bytes.
  @inline(__always)
  static func doubleWords(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: UInt64, _ span: UInt64,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    unsafe filled { unsafe realm_mask_double_words(cells, count, lower, span, upcoming, $0) }
  }

  /// The numbers in `lower...upper`; NaN is in no range.
  @inline(__always)
  static func floats(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: Float, _ upper: Float,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    unsafe filled { unsafe realm_mask_floats(cells, count, lower, upper, upcoming, $0) }
  }

  /// The numbers in `lower...upper`; NaN is in no range.
  @inline(__always)
  static func doubles(
    _ cells: UnsafeRawPointer, _ count: Int, _ lower: Double, _ upper: Double,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    unsafe filled { unsafe realm_mask_doubles(cells, count, lower, upper, upcoming, $0) }
  }

  /// The cells of 16 bytes that are the two words.
  @inline(__always)
  static func pairs(
    _ cells: UnsafeRawPointer, _ count: Int, _ low: UInt64, _ high: UInt64,
    upcoming: UnsafeRawPointer
  ) -> SIMD4<UInt64> {
    unsafe filled { unsafe realm_mask_pairs(cells, count, low, high, upcoming, $0) }
  }

  @inline(__always)
  static func filled(_ fill: (UnsafeMutablePointer<UInt64>) -> Void) -> SIMD4<UInt64> {
    var mask = SIMD4<UInt64>.zero
    unsafe withUnsafeMutablePointer(to: &mask) {
      unsafe $0.withMemoryRebound(to: UInt64.self, capacity: 4, fill)
    }
    return mask
  }
}
