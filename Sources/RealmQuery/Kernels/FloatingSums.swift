// SPDX-License-Identifier: Apache-2.0

// Sums of floating-point numbers.

import RealmStorage

/// Aggregates over the cells of Double leaves.
package enum FloatingSums {
  /// So many lines are asked for at once.
  @inline(__always) private static var linesAtOnce: Int { 8 }
  @inline(__always) private static var cellsAtOnce: Int { linesAtOnce &* 8 }

  /// The sum of all cells, in sixteen partial sums: one alone waits for each addition to finish.
  ///
  /// - Parameter upcoming: memory to ask for meanwhile.
  /// - Safety: `cells` holds `count` values.
  static func sum(
    doubles cells: UnsafeRawPointer, count: Int, upcoming: UnsafeRawPointer
  ) -> Double {
    var sums = SIMD8<Double>.zero
    var others = SIMD8<Double>.zero
    var index = 0
    while index &+ 16 <= count {
      unsafe NodeSpace.prefetch(upcoming + index &* 8, lines: linesAtOnce)
      let end = min(count, index &+ cellsAtOnce)
      while index &+ 16 <= end {
        unsafe sums += cells.loadUnaligned(fromByteOffset: index &* 8, as: SIMD8<Double>.self)
        unsafe others += cells.loadUnaligned(
          fromByteOffset: index &* 8 &+ 64, as: SIMD8<Double>.self)
        index &+= 16
      }
    }
    sums += others
    var total =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    while index < count {
      unsafe total += cells.load(fromByteOffset: index &* 8, as: Double.self)
      index &+= 1
    }
    return total
  }

  /// The smallest or the largest of the cells that are numbers and of eight candidates.
  ///
  /// - Parameter isMinimum: a literal, so that the loop has no choice to make.
  /// - Safety: as for `sum`.
  @inline(__always)
  static func extreme(
    isMinimum: Bool, doubles cells: UnsafeRawPointer, count: Int, upcoming: UnsafeRawPointer,
    _ candidates: SIMD8<Double>
  ) -> SIMD8<Double> {
    var found = candidates
    var index = 0
    while index &+ 8 <= count {
      unsafe NodeSpace.prefetch(upcoming + index &* 8, lines: linesAtOnce)
      let end = min(count, index &+ cellsAtOnce)
      while index &+ 8 <= end {
        let cells = unsafe cells.loadUnaligned(fromByteOffset: index &* 8, as: SIMD8<Double>.self)
        // NaN is in no order, so neither NaN nor null, which is one, gets in.
        found.replace(with: cells, where: isMinimum ? cells .< found : cells .> found)
        index &+= 8
      }
    }
    while index < count {
      let cell = unsafe cells.load(fromByteOffset: index &* 8, as: Double.self)
      if isMinimum ? cell < found[0] : cell > found[0] { found[0] = cell }
      index &+= 1
    }
    return found
  }

  /// Whether there is a number among the cells.
  static func holdsNumber(_ cells: UnsafeRawPointer, _ count: Int) -> Bool {
    for index in 0..<count
    where unsafe !cells.load(fromByteOffset: index &* 8, as: Double.self).isNaN { return true }
    return false
  }
}
