// SPDX-License-Identifier: Apache-2.0

// Sums of floating-point numbers.

/// Aggregates over the cells of Double leaves.
package enum FloatingSums {
  /// The sum of all cells, in sixteen partial sums: one alone waits for each addition to finish.
  ///
  /// - Safety: `cells` holds `count` values.
  package static func sum(doubles cells: UnsafeRawPointer, count: Int) -> Double {
    var sums = SIMD8<Double>.zero
    var others = SIMD8<Double>.zero
    var index = 0
    while index &+ 16 <= count {
      sums += cells.loadUnaligned(fromByteOffset: index &* 8, as: SIMD8<Double>.self)
      others += cells.loadUnaligned(fromByteOffset: index &* 8 &+ 64, as: SIMD8<Double>.self)
      index &+= 16
    }
    sums += others
    var total =
      ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))
    while index < count {
      total += cells.load(fromByteOffset: index &* 8, as: Double.self)
      index &+= 1
    }
    return total
  }

  /// The largest of the cells that are numbers; nil if none is.
  ///
  /// - Safety: as for `sum`.
  package static func maximum(doubles cells: UnsafeRawPointer, count: Int) -> Double? {
    var largest = SIMD8<Double>(repeating: -.infinity)
    var index = 0
    while index &+ 8 <= count {
      let cells = cells.loadUnaligned(fromByteOffset: index &* 8, as: SIMD8<Double>.self)
      // NaN is in no order, so neither NaN nor null, which is one, gets in.
      largest.replace(with: cells, where: cells .> largest)
      index &+= 8
    }
    var found = -Double.infinity
    for lane in 0..<8 { found = Swift.max(found, largest[lane]) }
    while index < count {
      let cell = cells.load(fromByteOffset: index &* 8, as: Double.self)
      if cell > found { found = cell }
      index &+= 1
    }
    return found > -.infinity || holdsNumber(cells, count) ? found : nil
  }

  /// The smallest of the cells that are numbers; nil if none is.
  ///
  /// - Safety: as for `sum`.
  package static func minimum(doubles cells: UnsafeRawPointer, count: Int) -> Double? {
    var smallest = SIMD8<Double>(repeating: .infinity)
    var index = 0
    while index &+ 8 <= count {
      let cells = cells.loadUnaligned(fromByteOffset: index &* 8, as: SIMD8<Double>.self)
      smallest.replace(with: cells, where: cells .< smallest)
      index &+= 8
    }
    var found = Double.infinity
    for lane in 0..<8 { found = Swift.min(found, smallest[lane]) }
    while index < count {
      let cell = cells.load(fromByteOffset: index &* 8, as: Double.self)
      if cell < found { found = cell }
      index &+= 1
    }
    return found < .infinity || holdsNumber(cells, count) ? found : nil
  }

  /// Whether there is a number among the cells.
  private static func holdsNumber(_ cells: UnsafeRawPointer, _ count: Int) -> Bool {
    for index in 0..<count
    where !cells.load(fromByteOffset: index &* 8, as: Double.self).isNaN { return true }
    return false
  }
}
