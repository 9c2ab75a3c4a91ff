// SPDX-License-Identifier: Apache-2.0

// Sums of floating-point numbers.

/// Aggregates over the cells of Double leaves.
package enum FloatingSums {
  /// The sum of all cells, in four partial sums: one alone waits for each addition to finish.
  ///
  /// - Safety: `cells` holds `count` values.
  package static func sum(doubles cells: UnsafeRawPointer, count: Int) -> Double {
    var sums = SIMD4<Double>.zero
    var index = 0
    while index &+ 4 <= count {
      sums += cells.loadUnaligned(fromByteOffset: index &* 8, as: SIMD4<Double>.self)
      index &+= 4
    }
    var total = (sums[0] + sums[1]) + (sums[2] + sums[3])
    while index < count {
      total += cells.load(fromByteOffset: index &* 8, as: Double.self)
      index &+= 1
    }
    return total
  }

  /// The smallest and the largest of the cells that are numbers; nil if none is.
  ///
  /// - Safety: as for `sum`.
  package static func bounds(
    doubles cells: UnsafeRawPointer, count: Int
  ) -> ClosedRange<Double>? {
    var smallest = SIMD4<Double>(repeating: .infinity)
    var largest = SIMD4<Double>(repeating: -.infinity)
    var index = 0
    while index &+ 4 <= count {
      let cells = cells.loadUnaligned(fromByteOffset: index &* 8, as: SIMD4<Double>.self)
      // NaN is in no order, so neither NaN nor null, which is one, gets in.
      smallest.replace(with: cells, where: cells .< smallest)
      largest.replace(with: cells, where: cells .> largest)
      index &+= 4
    }
    var (low, high) = (Double.infinity, -Double.infinity)
    for lane in 0..<4 {
      low = Swift.min(low, smallest[lane])
      high = Swift.max(high, largest[lane])
    }
    while index < count {
      let cell = cells.load(fromByteOffset: index &* 8, as: Double.self)
      if cell < low { low = cell }
      if cell > high { high = cell }
      index &+= 1
    }
    return low <= high ? low...high : nil
  }
}
