// SPDX-License-Identifier: Apache-2.0

// Types of the program in queries, orders and aggregates: they follow what is stored.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// Stored as a number, and nothing else: not comparable, no number.
private struct Weight: CustomPersistable {
  var grams: Int
  init(_ grams: Int) { self.grams = grams }
  init(persistedValue: Int) { grams = persistedValue }
  var persistableValue: Int { grams }
}

private struct Nickname: FailableCustomPersistable {
  var text: String
  init(_ text: String) { self.text = text }
  init?(persistedValue: String) { text = persistedValue }
  var persistableValue: String { text }
}

private class StoredSpeck: EmbeddedObject {
  @Persisted var x: Int
  @Persisted var y: Double?
  @Persisted var name: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Speck: CustomPersistable {
  var x: Int
  var y: Double?
  init(_ x: Int, _ y: Double?) { (self.x, self.y) = (x, y) }
  init(persistedValue: StoredSpeck) { self.init(persistedValue.x, persistedValue.y) }
  var persistableValue: StoredSpeck { StoredSpeck(value: ["x": x, "y": y as Any, "name": "s"]) }
}

private class StoredTrip: EmbeddedObject {
  @Persisted var stops: List<Int>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private struct Trip: CustomPersistable, Equatable {
  init() {}
  init(persistedValue: StoredTrip) {}
  var persistableValue: StoredTrip { StoredTrip() }
  func hash(into hasher: inout Hasher) {}
}

private class Parcel: Object {
  @Persisted var number: Int
  @Persisted var weight: Weight
  @Persisted var insured: Weight?
  @Persisted var nickname: Nickname?
  @Persisted var parts: List<Weight>
  @Persisted var byName: Map<String, Weight?>
  @Persisted var spot: Speck
  @Persisted var home: Speck?
  @Persisted var spots: List<Speck>
  @Persisted var trip: Trip
  @Persisted var inside: List<Parcel>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class ParcelRow: Projection<Parcel> {
  @Projected(\Parcel.weight) var heaviness
  @Projected(\Parcel.insured) var insured
  @Projected(\Parcel.number) var no
}

struct CustomTypeQueryTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Parcel.self, StoredSpeck.self, StoredTrip.self])
    realm = try file.open()
    try realm.write {
      for number in 0..<6 {
        let parcel = realm.create(Parcel.self, value: ["number": number])
        parcel.weight = Weight(number * 100)
        parcel.insured = number % 2 == 0 ? Weight(number) : nil
        parcel.nickname = number > 2 ? Nickname("n\(number)") : nil
        parcel.parts.append(objectsIn: (0..<number).map { Weight($0) })
        parcel.byName["a"] = Weight(number)
        parcel.spot = Speck(number, number % 2 == 0 ? Double(number) : nil)
        parcel.home = number > 3 ? Speck(1, nil) : nil
        parcel.spots.append(objectsIn: [Speck(number, 1), Speck(0, nil)])
      }
      let all = realm.objects(Parcel.self)
      all[5].inside.append(objectsIn: all.where { $0.number < 3 })
    }
  }

  @Test func collectionsAskForSomeElement() throws {
    try realm.write {
      let same = realm.create(Parcel.self, value: ["number": 10])
      same.spots.append(objectsIn: [Speck(7, nil), Speck(7, nil)])
      // No element equals `Speck(7, 1)`, but for each member some element does.
      let mixed = realm.create(Parcel.self, value: ["number": 11])
      mixed.spots.append(objectsIn: [Speck(7, nil), Speck(0, 1)])
    }
    func numbers(_ format: String, _ value: Any) -> [Int] {
      realm.objects(Parcel.self).filter(format, value).map(\.number).sorted()
    }
    expectEqual(numbers("ANY spots == %@", Speck(7, nil)), [10, 11])
    expectEqual(numbers("ANY spots != %@", Speck(7, nil)), [0, 1, 2, 3, 4, 5, 11])
    expectTrue(numbers("ANY spots == %@", Speck(7, 1)).isEmpty)
  }

  private func numbers(_ condition: (Query<Parcel>) -> Query<Bool>) -> [Int] {
    realm.objects(Parcel.self).where(condition).map(\.number).sorted()
  }

  @Test func comparedByWhatIsStored() {
    expectEqual(numbers { $0.weight < Weight(200) }, [0, 1])
    expectEqual(numbers { $0.weight <= Weight(200) }, [0, 1, 2])
    expectEqual(numbers { $0.weight > Weight(350) }, [4, 5])
    expectEqual(numbers { $0.weight >= Weight(400) }, [4, 5])
    expectEqual(numbers { $0.insured > Weight(1) }, [2, 4])
    expectEqual(numbers { $0.insured < Weight(1) }, [0])
    expectEqual(numbers { $0.insured == nil }, [1, 3, 5])
    expectEqual(numbers { $0.weight.in([Weight(0), Weight(500), Weight(7)]) }, [0, 5])
    expectEqual(numbers { $0.insured.in([Weight(2), nil]) }, [1, 2, 3, 5])
    expectEqual(numbers { $0.nickname > Nickname("n3") }, [4, 5])
  }

  @Test func storedValuesThemselves() {
    expectEqual(numbers { $0.weight.persistableValue.contains(100...300) }, [1, 2, 3])
    expectEqual(numbers { $0.insured.persistableValue == 4 }, [4])
    expectEqual(numbers { $0.insured.persistableValue == nil }, [1, 3, 5])
    expectEqual(numbers { $0.nickname.persistableValue.ends(with: "5") }, [5])
    expectEqual(numbers { $0.spot.persistableValue.y >= 2 }, [2, 4])
    expectEqual(numbers { $0.home.persistableValue.x == 1 }, [4, 5])
  }

  @Test func collectionsOfThem() {
    expectEqual(numbers { $0.parts.contains(Weight(3)) }, [4, 5])
    expectEqual(numbers { $0.parts.max == Weight(2) }, [3])
    expectEqual(numbers { $0.parts.sum > Weight(5) }, [4, 5])
    expectEqual(numbers { $0.parts.count == 2 }, [2])
    expectEqual(numbers { $0.byName["a"] > Weight(3) }, [4, 5])
    expectEqual(numbers { $0.inside.weight.max == Weight(200) }, [5])
    expectEqual(numbers { $0.inside.weight > Weight(100) }, [5])
  }

  @Test func whatIsStoredAsAnObjectEqualsByItsProperties() {
    expectEqual(numbers { $0.spot == Speck(2, 2) }, [2])
    expectEqual(numbers { $0.spot == Speck(3, nil) }, [3])
    expectEqual(numbers { $0.spot == Speck(3, 3) }, [])
    expectEqual(numbers { $0.spot != Speck(3, nil) }, [0, 1, 2, 4, 5])
    expectEqual(numbers { $0.home == Speck(1, nil) }, [4, 5])
    expectEqual(numbers { $0.home == nil }, [0, 1, 2, 3])
    expectEqual(numbers { $0.home != Speck(1, nil) }, [0, 1, 2, 3])
    expectEqual(numbers { $0.spot.in([Speck(1, nil), Speck(4, 4), Speck(5, 1)]) }, [1, 4])
    expectEqual(numbers { $0.home.in([Speck(1, nil), nil]) }, [0, 1, 2, 3, 4, 5])
    expectEqual(numbers { $0.spots.contains(Speck(3, 1)) }, [3])
    // One element must have all the values.
    expectEqual(numbers { $0.spots.contains(Speck(3, nil)) }, [])
    expectEqual(numbers { $0.spots.contains(Speck(0, nil)) }, [0, 1, 2, 3, 4, 5])
  }

  @Test func memberwiseEqualityHasItsLimits() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm([Parcel.self, StoredSpeck.self, StoredTrip.self])
      _ = try file.open().objects(Parcel.self).where { $0.trip == Trip() }.count
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      said.contains(
        "Unsupported property 'StoredTrip.stops' for memberwise equality query: equality on "
          + "collections is not implemented."), "said: \(said.prefix(400))")
  }

  @Test func ordersAndAggregates() {
    let all = realm.objects(Parcel.self)
    expectEqual(all.min(of: \.weight), Weight(0))
    expectEqual(all.max(of: \.weight), Weight(500))
    expectEqual(all.sum(of: \.weight), Weight(1_500))
    expectEqual(all.max(of: \.insured), Weight(4))
    expectEqual(all.average(of: \.weight), Weight(250))
    expectEqual(all.max(ofProperty: "weight") as Weight?, Weight(500))
    expectEqual(all.where { $0.number > 9 }.max(of: \.weight), nil)
    expectEqual(all.sorted(by: \.weight, ascending: false).first?.number, 5)
    expectEqual(all.sorted(by: \.insured).map(\.number), [1, 3, 5, 0, 2, 4])
    expectEqual(all.distinct(by: [\Parcel.insured]).count, 4)
    let parts = all[4].parts
    expectEqual(parts.min(), Weight(0))
    expectEqual(parts.max(), Weight(3))
    expectEqual(parts.sum(), Weight(6))
    expectEqual(parts.average(), Weight(1))
    expectEqual(parts.sorted(ascending: false).map(\.grams), [3, 2, 1, 0])
    expectEqual(all[4].byName.max(), Weight(4))
    expectEqual(all[4].byName.sum(), Weight(4))
    expectEqual(all[5].inside.sum(of: \.weight), Weight(300))
    expectEqual(all.freeze().max(of: \.weight), Weight(500))
  }

  @Test func collectionsOfProjections() {
    let rows = realm.objects(ParcelRow.self)
    expectEqual(rows.min(of: \.no), 0)
    expectEqual(rows.max(of: \.heaviness), Weight(500))
    expectEqual(rows.sum(of: \.no), 15)
    expectEqual(rows.average(of: \.no), 2)
    expectEqual(rows.max(of: \.insured), Weight(4))
    expectEqual(rows.sum(of: \.insured), Weight(6))
    expectEqual(rows.min(of: \.insured), Weight(0))
    expectEqual(rows.average(of: \.insured), Weight(2))
    expectEqual(rows.sum(ofProperty: "number"), 15)
    expectEqual(rows.max(ofProperty: "number"), 5)
    expectEqual(rows.min(ofProperty: "number"), 0)
    expectEqual(rows.average(ofProperty: "number"), 2.5)
    let few = rows.where { $0.weight > Weight(150) && $0.number < 4 }
    expectEqual(few.sum(of: \.no), 5)
    expectEqual(few.sorted(by: \.heaviness, ascending: false)[0].no, 3)
    expectEqual(rows.freeze().max(of: \.no), 5)
    expectEqual(rows.sorted(byKeyPath: "weight").last?.no, 5)
  }
}
