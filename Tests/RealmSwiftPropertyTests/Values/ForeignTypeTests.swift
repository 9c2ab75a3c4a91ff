// SPDX-License-Identifier: Apache-2.0

// Types of other modules as properties and elements, stored as scalars and as embedded objects.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

class ForeignStoredPoint: EmbeddedObject {
  @Persisted var x: Double
  @Persisted var y: Double
  @Persisted var made: UUID
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension ForeignPoint: CustomPersistable {
  typealias PersistedType = ForeignStoredPoint
  init(persistedValue: ForeignStoredPoint) {
    self.init(x: persistedValue.x, y: persistedValue.y)
  }
  var persistableValue: ForeignStoredPoint { ForeignStoredPoint(value: ["x": x, "y": y]) }
}

extension ForeignAmount: FailableCustomPersistable {
  typealias PersistedType = Int
  init?(persistedValue: Int) {
    guard persistedValue >= 0 else { return nil }
    self.init(cents: persistedValue)
  }
  var persistableValue: Int { cents }
}

private class Route: Object {
  @Persisted var start: ForeignPoint
  @Persisted var end: ForeignPoint?
  @Persisted var stops: List<ForeignPoint>
  @Persisted var named: Map<String, ForeignPoint?>
  @Persisted var price: ForeignAmount
  @Persisted var prices: MutableSet<ForeignAmount>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct ForeignTypeTests {
  @Test func typesOfOtherModulesAreStored() throws {
    let file = try TemporaryRealm([Route.self, ForeignStoredPoint.self])
    let realm = try file.open()
    let route = Route()
    route.start = ForeignPoint(x: 1, y: 2)
    route.stops.append(ForeignPoint(x: 3, y: 4))
    route.price = ForeignAmount(cents: 5)
    route.prices.insert(ForeignAmount(cents: 6))
    try realm.write {
      realm.add(route)
      route.named["a"] = ForeignPoint(x: 5, y: 6)
    }
    expectEqual(route.start, ForeignPoint(x: 1, y: 2))
    expectTrue(route.end == nil)
    expectEqual(Array(route.stops), [ForeignPoint(x: 3, y: 4)])
    expectEqual(route.named["a"], .some(ForeignPoint(x: 5, y: 6)))
    expectTrue(route.prices.contains(ForeignAmount(cents: 6)))
    let found = realm.objects(Route.self).where { $0.price == ForeignAmount(cents: 5) }
    expectEqual(found.first?.start, ForeignPoint(x: 1, y: 2))
  }

  /// Each call makes another object of the value.
  @Test func equalValuesHaveEqualHashes() {
    let points = (0..<64).map { ForeignPoint(x: Double($0 % 8), y: -0.0) }
    expectEqual(Set(points).count, 8)
    expectTrue(Set(points).contains(ForeignPoint(x: 7, y: 0)))
    expectEqual(Set(points.map(\.hashValue)).count, 8)
    expectEqual(Set([ForeignAmount(cents: 1), ForeignAmount(cents: 1)]).count, 1)
  }
}
