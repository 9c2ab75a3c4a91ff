// SPDX-License-Identifier: Apache-2.0

// The total order of values of any type.

import TestExtensions
import Testing

@testable import RealmStorage

struct MixedOrderTests {
  private static func decimal(_ text: String) -> MixedValue {
    .decimal(DecimalBits(text: text) ?? .notANumber)
  }

  /// Values in their order; those of one line are equal.
  private static let values: [[MixedValue]] = [
    [.null], [.bool(false)], [.bool(true)],
    [.double(-.infinity), .float(-.infinity)],
    [.double(-0x1.8p63)],
    [.int(.min), .double(-0x1p63), .float(-0x1p63)],
    [.int(.min + 1)],
    [.int(-2), .double(-2), .float(-2), decimal("-2.0")],
    [.double(-1.5), .float(-1.5), decimal("-1.5")],
    [.int(-1)],
    [.int(0), .double(-0.0), .float(0), decimal("0"), decimal("-0")],
    [.double(0.5), .float(0.5), decimal("5E-1")],
    [.int(1), .double(1), .float(1), decimal("1.000")],
    [.int(1 << 53), .double(0x1p53), .float(0x1p53)],
    [.int(1 << 53 + 1)],
    [.int(.max)],
    [.double(0x1p63), .float(0x1p63)],
    [.double(.infinity), .float(.infinity)],
    [.string(ByteView(""))], [.string(ByteView("a"))], [.string(ByteView("ab"))],
    [.string(ByteView("b"))],
    [.binary(ByteView("a"))], [.binary(ByteView("b"))],
    [.timestamp(Timestamp(seconds: 1, nanoseconds: 5))],
    [.timestamp(Timestamp(seconds: 1, nanoseconds: 6))],
    [.timestamp(Timestamp(seconds: 2, nanoseconds: 0))],
    [.objectId(Bytes12(high: 1, low: 9))], [.objectId(Bytes12(high: 2, low: 3))],
    [.objectId(Bytes12(high: 2, low: 4))],
    [.uuid(Bytes16(high: 1, low: 9))], [.uuid(Bytes16(high: 2, low: 3))],
    [.uuid(Bytes16(high: 2, low: 4))],
    [.typedLink(table: 1, key: 9)], [.typedLink(table: 2, key: 3)], [.typedLink(table: 2, key: 4)],
  ]

  @Test func valuesOfAllTypesAreInOneOrder() {
    for (place, left) in Self.values.enumerated() {
      for (otherPlace, right) in Self.values.enumerated() {
        for left in left {
          for right in right {
            let order = left.compare(to: right).signum()
            let expected = (place - otherPlace).signum()
            // Inside of `#expect` the comparison would be described each time.
            if order != expected { Issue.record("\(left) and \(right): \(order)") }
            if left.isOrdered(before: right) != (expected < 0)
              || left.isEqual(to: right) != (expected == 0)
            {
              Issue.record("\(left) and \(right)")
            }
          }
        }
      }
    }
  }

  /// NaN comes before all numbers, and is equal to itself.
  @Test func theOrderHasAPlaceForNaN() {
    for nan in [.double(.nan), .float(.nan), Self.decimal("nan")] as [MixedValue] {
      expectEqual(nan.compare(to: nan), 0)
      for number in [.int(.min), .double(-.infinity), .float(0)] as [MixedValue] {
        expectTrue(nan.compare(to: number) < 0 && number.compare(to: nan) > 0, "\(nan), \(number)")
      }
      expectTrue(nan.compare(to: .bool(true)) > 0)
    }
  }
}
