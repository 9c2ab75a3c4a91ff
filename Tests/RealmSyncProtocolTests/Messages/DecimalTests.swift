// SPDX-License-Identifier: Apache-2.0

// The numbers of messages.

import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct DecimalTests {
  /// Numbers are written as the standard library writes them, and read again: all numbers of digits
  /// with their smallest and largest, and what is beside them.
  @Test func numbersAreWrittenAndRead() {
    var numbers: [UInt64] = [0, UInt64(Int64.max)]
    var power: UInt64 = 1
    for _ in 0..<19 {
      numbers += [power - 1, power, power + 1, 7 * (power / 10) + 5]
      power &*= 10
    }
    for number in numbers where number <= UInt64(Int64.max) {
      var bytes = Array("x".utf8)
      bytes.append(decimal: number)
      expectEqual(bytes, Array("x\(number)".utf8))
      expectEqual(bytes.dropFirst().decimal, number)
    }
  }

  /// Numbers that no message has.
  @Test(arguments: [
    "", "00", "01", "-1", "+1", "1 ", "9223372036854775808", "99999999999999999999",
  ])
  func otherTextsAreNoNumbers(text: String) { expectEqual(Array(text.utf8)[...].decimal, nil) }
}
