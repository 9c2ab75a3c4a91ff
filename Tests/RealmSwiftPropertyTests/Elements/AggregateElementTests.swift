// SPDX-License-Identifier: Apache-2.0

// Sums, means and extremes of every element type that has them.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct AggregateElementTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm.ofEveryElement()
    realm = try file.open()
  }

  /// Folds a list, a set and a map of the values, and their frozen copies, and those of nothing.
  private func check<Element: _Scalar>(
    _ values: [Element], sum: Element, mean: Double, _ list: (EveryList) -> List<Element>,
    _ set: (EverySet) -> MutableSet<Element>
  ) throws where Element.PersistedType: MinMaxType & AddableType {
    let (list, set) = try realm.write {
      (list(realm.create(EveryList.self)), set(realm.create(EverySet.self)))
    }
    expectTrue(list.min() == nil)
    expectTrue(list.max() == nil)
    expectEqual(set.sum(), Element._makeDefault())
    let nothing: Double? = list.average()
    expectEqual(nothing, nil)
    try realm.write {
      list.append(objectsIn: values)
      set.insert(objectsIn: values)
    }
    for list in [list, list.freeze()] {
      expectEqual(list.min(), values.first)
      expectEqual(list.max(), values.last)
      expectEqual(list.sum(), sum)
      let average: Double? = list.average()
      expectEqual(average, mean)
    }
    expectEqual(set.min(), values.first)
    expectEqual(set.max(), values.last)
    expectEqual(set.sum(), sum)
  }

  @Test func numbers() throws {
    try check([-5, 0, 8], sum: 3, mean: 1, { $0.int }, { $0.int })
    try check([-5, 0, 8], sum: 3, mean: 1, { $0.int8 }, { $0.int8 })
    try check([-5, 0, 8], sum: 3, mean: 1, { $0.int16 }, { $0.int16 })
    try check([-5, 0, 8], sum: 3, mean: 1, { $0.int32 }, { $0.int32 })
    try check([-5, 0, 8], sum: 3, mean: 1, { $0.int64 }, { $0.int64 })
    try check([-0.5, 0, 2], sum: 1.5, mean: 0.5, { $0.float }, { $0.float })
    try check([-0.5, 0, 2], sum: 1.5, mean: 0.5, { $0.double }, { $0.double })
  }

  @Test func decimals() throws {
    let values: [Decimal128] = ["-1E-20", "0.1", "1E20"]
    let list = try realm.write {
      let list = realm.create(EveryList.self).decimal
      list.append(objectsIn: values)
      return list
    }
    expectEqual(list.sum(), "100000000000000000000.1")
    expectEqual(list.max(), "1E20")
    let mean: Decimal128? = list.average()
    expectEqual(mean, list.sum() / 3)
    expectEqual(list.min(), values[0])
  }

  @Test func mixedNumbersAndDates() throws {
    let list = try realm.write {
      let list = realm.create(EveryList.self).any
      list.append(objectsIn: ElementCase.mixedValues)
      list.append(.fromArray([.int(1000)]))
      return list
    }
    expectEqual(list.min(), .int(-3))
    expectTrue(list.max()?.dateValue != nil)
    expectEqual(list.sum(), .decimal128("4.25"))
    expectEqual(list.average(), .decimal128("1.0625"))
    try realm.write { list.removeAll() }
    expectEqual(list.sum(), .decimal128(0))
    expectTrue(list.average() == nil)
    expectTrue(list.min() == nil)
    try realm.write { list.append(objectsIn: [.int(1), .int(2)]) }
    expectEqual(list.sum(), .decimal128(3))
    expectEqual(list.average(), .double(1.5))
  }

  @Test func anEmptyMapOfMixedValuesSumsToAnInteger() throws {
    let map = try realm.write { realm.create(EveryMap.self).any }
    expectEqual(map.sum(), .int(0))
    expectEqual(map.freeze().sum(), .int(0))
    try realm.write { map["a"] = .string("x") }
    expectEqual(map.sum(), .decimal128(0))
    try realm.write { map["a"] = .int(2) }
    expectEqual(map.sum(), .decimal128(2))
  }
}
