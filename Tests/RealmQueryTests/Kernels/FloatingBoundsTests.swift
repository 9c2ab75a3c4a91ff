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
      let numbers = cells.filter { !$0.isNaN }
      cells.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        #expect(FloatingSums.minimum(doubles: start, count: count) == numbers.min())
        #expect(FloatingSums.maximum(doubles: start, count: count) == numbers.max())
      }
    }
  }

  @Test func onlyInfinitiesAreNumbersToo() {
    for odd in [Double.infinity, -.infinity] {
      let cells = [Double](repeating: odd, count: 20)
      cells.withUnsafeBytes { bytes in
        guard let start = bytes.baseAddress else { return }
        #expect(FloatingSums.minimum(doubles: start, count: 20) == odd)
        #expect(FloatingSums.maximum(doubles: start, count: 20) == odd)
      }
    }
  }

  @Test func wholeNumbersAddUpExactly() {
    for count in 0..<70 {
      let cells = (0..<count).map { Double($0 * $0 - 100) }
      let sum = cells.withUnsafeBytes { bytes in
        bytes.baseAddress.map { FloatingSums.sum(doubles: $0, count: count) } ?? 0
      }
      #expect(sum == cells.reduce(0, +))
    }
  }
}
