// SPDX-License-Identifier: Apache-2.0

// Calls that programs written for the original make, generic ones among them: they must compile,
// and give what they gave.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

private enum Mood: Int, PersistableEnum { case low, high = 5 }
private enum Letter: String, PersistableEnum { case a, b }

private struct Meters: CustomPersistable, Comparable {
  var value: Double
  init(_ value: Double) { self.value = value }
  init(persistedValue: Double) { value = persistedValue }
  var persistableValue: Double { value }
  static func < (left: Meters, right: Meters) -> Bool { left.value < right.value }
}

private class Station: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name: String
  @Persisted var count: Int
  @Persisted var maybe: Int?
  @Persisted var price: Decimal128
  @Persisted var opened: Date
  @Persisted var mood: Mood
  @Persisted var length: Meters
  @Persisted var bytes: Data
  @Persisted var anything: AnyRealmValue
  @Persisted var numbers: List<Int>
  @Persisted var maybes: List<Int?>
  @Persisted var words: MutableSet<String>
  @Persisted var dates: List<Date>
  @Persisted var moods: List<Mood>
  @Persisted var maybeMoods: MutableSet<Mood?>
  @Persisted var lengths: List<Meters>
  @Persisted var maybeLengths: List<Meters?>
  @Persisted var byName: Map<String, Int>
  @Persisted var maybeByName: Map<String, Int?>
  @Persisted var moodByName: Map<String, Mood>
  @Persisted var lengthByName: Map<String, Meters?>
  @Persisted var plainLengthByName: Map<String, Meters>
  @Persisted var maybeMoodByName: Map<String, Mood?>
  @Persisted var next: List<Station>
  @Persisted var nextByName: Map<String, Station?>
  @Persisted(originProperty: "next") var previous: LinkingObjects<Station>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct CallTests {
  private let file: TemporaryRealm
  private let realm: Realm
  private let station: Station
  private var all: Results<Station> { realm.objects(Station.self) }

  init() throws {
    file = try TemporaryRealm([Station.self])
    realm = try file.open()
    let station = Station(value: ["id": 1, "name": "one", "count": 10, "maybe": 4])
    station.price = 1.5
    station.opened = Date(timeIntervalSince1970: 100)
    station.mood = .high
    station.length = Meters(7)
    station.bytes = Data([1, 2, 3])
    station.numbers.append(objectsIn: [3, 1, 2])
    station.maybes.append(objectsIn: [nil, 5, 7])
    station.words.insert(objectsIn: ["b", "a"])
    station.dates.append(Date(timeIntervalSince1970: 50))
    station.moods.append(objectsIn: [.low, .high])
    station.maybeMoods.insert(objectsIn: [.high, nil])
    station.lengths.append(objectsIn: [Meters(1), Meters(2)])
    station.maybeLengths.append(objectsIn: [Meters(3), nil])
    station.byName["x"] = 8
    station.maybeByName["x"] = 9
    station.maybeByName["none"] = .some(nil)
    station.moodByName["x"] = .high
    station.lengthByName["x"] = Meters(4)
    station.plainLengthByName["x"] = Meters(6)
    station.maybeMoodByName["x"] = .some(nil)
    self.station = station
    try realm.write { [realm] in
      realm.add(station)
      let second = realm.create(Station.self, value: ["id": 2, "name": "two", "count": 20])
      station.next.append(second)
      station.nextByName["second"] = second
    }
  }

  // MARK: Aggregates

  private func extremes<C: RealmCollection>(_ collection: C) -> [C.Element?]
  where C.Element: _HasPersistedType, C.Element.PersistedType: MinMaxType {
    [collection.min(), collection.max()]
  }

  private func sum<C: RealmCollection>(_ collection: C) -> C.Element
  where C.Element: _HasPersistedType, C.Element.PersistedType: AddableType {
    collection.sum()
  }

  private func mean<C: RealmCollection, T: _HasPersistedType>(_ collection: C, _: T.Type) -> T?
  where
    C.Element: _HasPersistedType, C.Element.PersistedType: AddableType,
    T.PersistedType: AddableType
  {
    collection.average()
  }

  @Test func aggregatesOfElementsAreOfTheirType() {
    expectEqual(extremes(station.numbers), [1, 3])
    expectEqual(sum(station.numbers), 6)
    let least: Int?? = station.maybes.min()
    expectEqual(least, .some(.some(5)))
    expectEqual(extremes(station.maybes), [5, 7])
    let sumOfOptionals: Int? = sum(station.maybes)
    expectEqual(sumOfOptionals, 12)
    expectEqual(mean(station.maybes, Double.self), 6)
    expectEqual(List<Int?>().min(), Int??.none)
    expectEqual(List<Int?>().sum(), 0)
    expectEqual(mean(station.numbers, NSNumber.self), 2)
    expectEqual(mean(station.numbers, Double?.self), 2)
    expectEqual(extremes(station.dates)[0], Date(timeIntervalSince1970: 50))
    expectEqual(extremes(station.moods), [.low, .high])
    expectEqual(extremes(station.lengths).map(\.?.value), [1, 2])
    expectEqual(sum(station.lengths).value, 3)
    expectEqual(station.maybeLengths.max()??.value, 3)
    let greatest: Int?? = station.maybeByName.max()
    expectEqual(station.byName.min(), 8)
    expectEqual(greatest, 9)
    expectEqual(station.maybeByName.sum(), 9)
    let average: Double? = station.byName.average()
    expectEqual(average, 8)
  }

  @Test func aggregatesOfPropertiesAreOfTheirType() {
    let number: NSNumber? = all.min(ofProperty: "count")
    let date: NSDate? = all.max(ofProperty: "opened")
    let sum: NSNumber = all.sum(ofProperty: "count")
    let mean: NSNumber? = all.average(ofProperty: "count")
    expectEqual(number, 10)
    expectEqual(sum, 30)
    expectEqual(mean, 15)
    expectTrue(date?.timeIntervalSince1970 ?? 0 > 100)
    let decimal: NSNumber? = all.max(ofProperty: "price")
    expectEqual(decimal?.doubleValue, 1.5)
    let least: Int?? = all.min(of: \.maybe)
    let total: Int? = all.sum(of: \.maybe)
    expectEqual(least, .some(.some(4)))
    expectEqual(total, 4)
    expectEqual(all.average(of: \.maybe), 4)
    expectEqual(all.max(of: \.mood), .high)
    expectEqual(all.max(of: \.length)?.value, 7)
    let any: AnyRealmValue? = all.max(ofProperty: "count")
    expectEqual(any, .int(20))
    expectEqual(station.nextByName.max(of: \.maybe), Int??.none)
    expectEqual(station.nextByName.sum(of: \.count), 20)
    expectEqual(station.next.min(of: \.count), 20)
    let unmanaged = List<Station>()
    unmanaged.append(Station(value: ["count": 3, "maybe": 2]))
    let unmanagedSum: NSNumber = unmanaged.sum(ofProperty: "count")
    expectEqual(unmanagedSum, 3)
    expectEqual(unmanaged.max(of: \.maybe), 2)
  }

  // MARK: Queries

  private func ids(_ condition: (Query<Station>) -> Query<Bool>) -> [Int] {
    all.where(condition).map(\.id)
  }

  @Test func aCollectionBesideAValueMeansSomeElement() {
    expectEqual(ids { $0.numbers == 3 }, [1])
    expectEqual(ids { $0.numbers == 4 }, [])
    #expect(ids { $0.numbers != 3 } == [1])
    expectEqual(ids { $0.maybes == nil }, [1])
    #expect(ids { $0.numbers > 2 } == [1])
    #expect(ids { $0.numbers > 3 } == [])
    #expect(ids { $0.numbers >= 3 } == [1])
    #expect(ids { $0.numbers < 1 } == [])
    #expect(ids { $0.numbers <= 1 } == [1])
    #expect(ids { $0.maybes > 6 } == [1])
    expectEqual(ids { $0.words == "a" }, [1])
    expectEqual(ids { $0.moods == .high }, [1])
    expectEqual(ids { $0.lengths == Meters(2) }, [1])
    #expect(ids { $0.lengths > Meters(2) } == [])
    expectEqual(ids { $0.byName == 8 }, [1])
    #expect(ids { $0.byName != 8 } == [])
    #expect(ids { $0.byName < 9 } == [1])
    #expect(ids { $0.byName <= 7 } == [])
    expectEqual(ids { $0.maybeByName == nil }, [1])
    #expect(ids { $0.maybeByName >= 9 } == [1])
    #expect(ids { $0.maybeByName > 9 } == [])
    expectEqual(ids { $0.moodByName == .low }, [])
    expectEqual(ids { $0.next == all[1] }, [1])
    expectEqual(ids { $0.previous == station }, [2])
    expectEqual(ids { !($0.numbers == 3) }, [2])
    let text = (Query<Station>._constructForTesting().numbers == 3)._constructPredicate().0
    expectEqual(text, "(ANY numbers == %@)")
  }

  @Test func whatIsStoredForElements() {
    expectEqual(ids { $0.moods.rawValue == 5 }, [1])
    #expect(ids { $0.moods.rawValue > 5 } == [])
    expectEqual(ids { $0.moods.rawValue.contains(0) }, [1])
    expectEqual(ids { $0.maybeMoods.rawValue == 5 }, [1])
    expectEqual(ids { $0.maybeMoods.rawValue == nil }, [1])
    expectEqual(ids { $0.moodByName.rawValue == 5 }, [1])
    expectEqual(ids { $0.lengths.persistableValue == 2 }, [1])
    expectEqual(ids { $0.lengths.persistableValue.max < 2 }, [])
    expectEqual(ids { $0.maybeLengths.persistableValue == nil }, [1])
    expectEqual(ids { $0.lengthByName.persistableValue >= 4 }, [1])
    expectEqual(ids { $0.plainLengthByName.persistableValue == 6 }, [1])
    expectEqual(ids { $0.maybeMoodByName.rawValue == nil }, [1])
  }

  private func inRange<T: _Persistable & Comparable>(
    _ query: Query<T>, _ range: ClosedRange<T>
  ) -> Query<Bool> { query.contains(range) }

  private func inRange<C: RealmCollection>(
    _ query: Query<C>, _ range: Range<C.Element>
  ) -> Query<Bool> where C.Element: Comparable { query.contains(range) }

  @Test func rangesOfWhateverCanBeCompared() {
    expectEqual(ids { inRange($0.count, 5...10) }, [1])
    expectEqual(ids { inRange($0.name, "o"..."p") }, [1])
    expectEqual(ids { inRange($0.numbers, 1..<4) }, [1])
    expectEqual(ids { inRange($0.numbers, 1..<3) }, [])
    expectEqual(ids { inRange($0.length, Meters(6)...Meters(8)) }, [1])
    expectEqual(ids { $0.maybe.contains(4...4) }, [1])
    expectEqual(ids { $0.byName.contains(8...8) }, [1])
  }

  private func starting<T: _HasPersistedType>(_ query: Query<T>, _ value: T) -> Query<Bool>
  where T.PersistedType: _QueryString {
    binary(query, value) && query >= value && query.like(value) || query.starts(with: value)
  }

  private func binary<T: _HasPersistedType>(_ query: Query<T>, _ value: T) -> Query<Bool>
  where T.PersistedType: _QueryBinary {
    query.contains(value) || query.ends(with: value) || query > value
  }

  @Test func stringsCanDoWhatBinariesCan() {
    expectEqual(ids { starting($0.name, "tw") }, [2])
    expectEqual(ids { binary($0.bytes, Data([2])) }, [1])
    expectEqual(ids { binary($0.name, "one") }, [1, 2])
  }

  @Test func shapesAreArgumentsOfFormats() throws {
    class Shop: Object {
      @Persisted var spot: StoredPlace?
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    class StoredPlace: EmbeddedObject {
      @Persisted var coordinates: List<Double>
      @Persisted var type = "Point"
      override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
    let file = try TemporaryRealm([Shop.self, StoredPlace.self])
    let realm = try file.open()
    try realm.write {
      _ = realm.create(Shop.self, value: ["spot": ["coordinates": [10.0, 20.0]]])
    }
    let circle = try #require(GeoCircle(center: (20, 10), radiusInRadians: 0.1))
    let box = try #require(GeoBox(bottomLeft: (19, 9), topRight: (21, 11)))
    let polygon = try #require(GeoPolygon(outerRing: [(0, 0), (0, 5), (5, 5), (0, 0)]))
    let shops = realm.objects(Shop.self)
    expectEqual(shops.filter("spot IN %@", circle).count, 1)
    expectEqual(shops.filter("spot GEOWITHIN %@", box).count, 1)
    expectTrue(shops.filter(NSPredicate(format: "spot IN %@", polygon)).isEmpty)
    expectEqual(shops.filter(NSPredicate(format: "spot IN %@", argumentArray: [box])).count, 1)
    expectEqual(shops.index(matching: "spot IN %@", circle), 0)
  }
}
