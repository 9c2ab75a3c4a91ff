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
}
