// SPDX-License-Identifier: Apache-2.0

// Migrations in which a class becomes embedded: after the block each object has one owner.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

/// The classes before.
private enum Before {
  final class Owner: Object {
    @Persisted var name = ""
    @Persisted var place: Place?
    @Persisted var places: List<Place>
    @Persisted var byName: Map<String, Place?>
    @Persisted var any: AnyRealmValue
    override class func _realmObjectName() -> String? { "Owner" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Place: Object {
    @Persisted var city = ""
    @Persisted var any: AnyRealmValue
    @Persisted var detail: Detail?
    @Persisted var host: Owner?
    override class func _realmObjectName() -> String? { "Place" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Detail: Object {
    @Persisted var text = ""
    override class func _realmObjectName() -> String? { "Detail" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

/// The same classes, of which two are embedded.
private enum After {
  final class Owner: Object {
    @Persisted var name = ""
    @Persisted var place: Place?
    @Persisted var places: List<Place>
    @Persisted var byName: Map<String, Place?>
    @Persisted var any: AnyRealmValue
    override class func _realmObjectName() -> String? { "Owner" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Place: EmbeddedObject {
    @Persisted var city = ""
    @Persisted var any: AnyRealmValue
    @Persisted var detail: Detail?
    @Persisted var host: Owner?
    override class func _realmObjectName() -> String? { "Place" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Detail: EmbeddedObject {
    @Persisted var text = ""
    override class func _realmObjectName() -> String? { "Detail" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct EmbeddedMigrationTests {
  private let file: TemporaryRealm

  init() throws {
    file = try TemporaryRealm([Before.Owner.self, Before.Place.self, Before.Detail.self])
  }

  private func migrated(_ block: MigrationBlock? = nil) throws -> Realm {
    file.configuration.objectTypes = [After.Owner.self, After.Place.self, After.Detail.self]
    file.configuration.schemaVersion = 1
    file.configuration.migrationBlock = block
    return try file.open()
  }

  /// `cases/04`
  @Test(arguments: [0, 1, 2, 3]) func objectsGetOneOwnerEach(ownerCount: Int) throws {
    do {
      let realm = try file.open()
      try realm.write {
        let shared = realm.create(Before.Detail.self, value: ["text": "shared"])
        let place = realm.create(Before.Place.self, value: ["city": "Oslo"])
        place.any = .fromArray([.int(1), .string("two")])
        place.detail = shared
        let lost = realm.create(Before.Place.self, value: ["city": "lost"])
        lost.detail = shared
        for index in 0..<ownerCount {
          let owner = realm.create(Before.Owner.self, value: ["name": "\(index)"])
          owner.place = place
          owner.places.append(objectsIn: [place, place])
          owner.byName["a"] = place
          owner.byName["none"] = .some(nil)
          place.host = owner
        }
      }
    }
    let realm = try migrated()
    let owners = realm.objects(After.Owner.self)
    expectEqual(owners.count, ownerCount)
    for owner in owners {
      var places: [After.Place?] = [owner.place, owner.byName["a"] ?? nil]
      for place in owner.places { places.append(place) }
      expectEqual(places.count, 4)
      for place in places {
        let place = try #require(place)
        expectEqual(place.city, "Oslo")
        expectEqual(place.any.listValue.map { Array($0) }, [.int(1), .string("two")])
        expectEqual(place.detail?.text, "shared")
        expectEqual(place.host?.name, "\(ownerCount - 1)")
      }
      expectTrue(owner.byName.keys.contains("none"))
    }
    // Each has its own.
    try realm.write {
      for owner in owners {
        owner.place?.city = "A"
        owner.place?.detail?.text = "a"
        owner.places[0].city = "B"
      }
    }
    for owner in owners {
      expectEqual(
        [owner.place?.city, owner.places[0].city, owner.places[1].city], ["A", "B", "Oslo"])
      expectEqual(owner.places[0].detail?.text, "shared")
    }
    try ReferenceReader.check(file.configuration)
  }

  /// The block is done before, so it decides what is shared.
  @Test func theBlockComesFirst() throws {
    do {
      let realm = try file.open()
      try realm.write {
        for name in ["a", "b"] {
          let owner = realm.create(Before.Owner.self, value: ["name": name])
          owner.place = realm.create(Before.Place.self, value: ["city": name])
        }
      }
    }
    let realm = try migrated { migration, _ in
      var first: MigrationObject?
      migration.enumerateObjects(ofType: "Owner") { _, new in
        first = first ?? new?["place"] as? MigrationObject
        new?["place"] = first
      }
    }
    expectEqual(realm.objects(After.Owner.self).map { $0.place?.city }, ["a", "a"])
    try ReferenceReader.check(file.configuration)
  }

  @Test func linksThatCannotOwn() throws {
    do {
      let realm = try file.open()
      try realm.write {
        let owner = realm.create(Before.Owner.self)
        owner.any = .object(realm.create(Before.Place.self))
      }
    }
    let error = try #require(throws: Realm.Error.self) { _ = try migrated() }
    expectTrue(
      error.localizedDescription.contains("'Owner.any'"), "\(error.localizedDescription)")
  }
}
