// SPDX-License-Identifier: Apache-2.0

import RealmTables
import TestExtensions
import Testing

@testable import RealmQuery

struct KeyFilterTests {
  @Test(arguments: [[0], [3, 64, 65, 900], [5, 1 << 40], []] as [[Int64]])
  func aFilterHasTheKeysThatItWasMadeOf(_ keys: [Int64]) {
    let filter = KeyFilter(keys.map { ObjectKey($0) })
    for key in Set(keys + [1, 2, 63, 66, 1_000_000]) {
      expectEqual(filter.contains(key), keys.contains(key))
    }
  }

  /// A damaged index may name keys in any order, also those of no object (`ARCHITECTURE` 4).
  @Test(
    arguments: [[900, 3], [1 << 40, 5, 7], [-9, 4], [6, -1], [Int64.min, Int64.max]] as [[Int64]])
  func keysOfADamagedIndexStayWithinItsMemory(_ keys: [Int64]) {
    let filter = KeyFilter(keys.map { ObjectKey($0) })
    for key in keys where key >= 0 { #expect(filter.contains(key)) }
    expectFalse(filter.contains(1))
  }
}
