// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct ValueTestTests {
  /// Being one of several values is being equal to one of them, also where equality is not
  /// transitive: decimals are compared with the first digits of floats and doubles.
  @Test(arguments: RandomRuns.seeds(2)) func oneOfSeveralIsEqualToOne(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let tenth = DecimalBits(isNegative: false, coefficient: 1, exponent: -1)
    let numbers: [MixedValue] = [
      .float(0.1), .double(0.1), .double(0.1.nextUp), .double(0.100_000_000_5), .decimal(tenth),
      .decimal(DecimalBits(double: 0.100_000_000_5)), .int(1 << 53 + 1), .double(0x1p53),
      .decimal(DecimalBits(double: 0x1p53)), .decimal(DecimalBits(integer: 1 << 53 + 1)),
      .int(0), .double(-0.0), .float(.nan), .null, .bool(false),
    ]
    for _ in 0..<400 {
      let constants = numbers.shuffled(using: &random)
        .prefix(Int.random(in: 0...6, using: &random))
      let test = ValueTest(oneOf: Array(constants))
      for number in numbers {
        let expected = constants.contains { ValueTest.compare(number, .equal, $0) }
        expectEqual(test.matches(number), expected, "\(number) in \(constants)")
      }
    }
  }
}
