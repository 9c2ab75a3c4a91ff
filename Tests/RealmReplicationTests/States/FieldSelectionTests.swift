// SPDX-License-Identifier: Apache-2.0

// Parts of the properties of a class.

import RealmReplication
import TestExtensions
import Testing

struct FieldSelectionTests {
  private static let street = FieldSelection(others: false, exceptions: ["street"])
  private static let city = FieldSelection(others: false, exceptions: ["city"])

  /// `FieldSelection` 1
  @Test(arguments: [true, false]) func aPropertyIsInIfAPartOfItIs(_ others: Bool) {
    var selection = FieldSelection(others: others)
    selection.set("address", to: Self.street)
    expectTrue(selection.contains("address"))
    expectTrue(selection.contains(path: ["address", "street"]))
    expectFalse(selection.contains(path: ["address", "city"]))
    expectEqual(selection.contains("name"), others)
    expectFalse(selection.isAll || selection.isEmpty)
    selection.set("address", to: FieldSelection(others: false))
    expectFalse(selection.contains("address"))
    expectFalse(selection.contains(path: ["address", "street"]))
    selection.set("address", to: .all)
    expectTrue(selection.contains(path: ["address", "city"]))
  }

  /// `FieldSelection` 1: of two parts without anything in common the property is in neither.
  @Test(arguments: [true, false], [true, false])
  func aPropertyWithoutACommonPartIsInNoIntersection(_ first: Bool, _ second: Bool) {
    var (left, right) = (FieldSelection(others: first), FieldSelection(others: second))
    left.set("address", to: Self.street)
    right.set("address", to: Self.city)
    let none = left.intersection(right)
    expectFalse(none.contains("address"))
    expectEqual(none.contains("name"), first && second)
    right.set("address", to: Self.street)
    let some = left.intersection(right)
    expectTrue(some.contains("address"))
    expectFalse(some.contains(path: ["address", "city"]))
  }
}
