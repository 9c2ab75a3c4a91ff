// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct FloatingBoundsTests {
  private static func extreme(of leaves: [ArraySlice<Double>], isMinimum: Bool) -> Double? {
    var fold = DoubleExtreme(isMinimum: isMinimum)
    for leaf in leaves {
      leaf.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        fold.add(start, count: leaf.count, upcoming: start)
      }
    }
    return fold.extreme
  }

  @Test func numbersDecideAndNothingElse() {
    var random = SeededGenerator(seed: 3)
    let null = Double(bitPattern: 0x7FF8_0000_0000_00AA)
    let odd = [Double.nan, .infinity, -.infinity, 0, -0.0, null]
    for count in 0..<40 {
      let cells = (0..<count).map { _ in
        random.chance(0.3)
          ? odd.randomElement(using: &random) ?? 0 : Double.random(in: -9...9, using: &random)
      }
      let numbers = cells.filter { !$0.isNaN }
      // In one leaf and in two.
      let middle = Int.random(in: 0...count, using: &random)
      for leaves in [[cells[...]], [cells[..<middle], cells[middle...]]] {
        expectEqual(Self.extreme(of: leaves, isMinimum: true), numbers.min())
        expectEqual(Self.extreme(of: leaves, isMinimum: false), numbers.max())
      }
    }
  }

  @Test func onlyInfinitiesAreNumbersToo() {
    for odd in [Double.infinity, -.infinity] {
      let cells = [Double](repeating: odd, count: 20)
      expectEqual(Self.extreme(of: [cells[...]], isMinimum: true), odd)
      expectEqual(Self.extreme(of: [cells[...]], isMinimum: false), odd)
    }
  }

  @Test func wholeNumbersAddUpExactly() {
    for count in 0..<70 {
      let cells = (0..<count).map { Double($0 * $0 - 100) }
      let sum = cells.withUnsafeBytes { bytes in
        bytes.baseAddress.map { FloatingSums.sum(doubles: $0, count: count, upcoming: $0) } ?? 0
      }
      expectEqual(sum, cells.reduce(0, +))
    }
  }
}
