// SPDX-License-Identifier: Apache-2.0

import RealmTestSupport
import Testing

@testable import RealmQuery

@Suite struct FloatingBoundsTests {
  @Test func numbersDecideAndNothingElse() {
    var random = SeededGenerator(seed: 3)
    let null = Double(bitPattern: 0x7FF8_0000_0000_00AA)
    let odd = [Double.nan, .infinity, -.infinity, 0, -0.0, null]
    for count in 0..<40 {
      let cells = (0..<count).map { _ in
        random.chance(0.3)
          ? odd.randomElement(using: &random) ?? 0 : Double.random(in: -9...9, using: &random)
      }
      let bounds = cells.withUnsafeBytes { cells in
        cells.baseAddress.flatMap { FloatingSums.bounds(doubles: $0, count: count) }
      }
      let numbers = cells.filter { !$0.isNaN }
      #expect(bounds?.lowerBound == numbers.min())
      #expect(bounds?.upperBound == numbers.max())
    }
  }
}
