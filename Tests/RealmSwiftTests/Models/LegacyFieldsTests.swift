// SPDX-License-Identifier: Apache-2.0

// Classes that declare collections and optionals without `@Persisted`.

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

private class OldDog: Object {
  let age = RealmProperty<Int?>()
  let tags = List<String>()
  let owners = LinkingObjects(fromType: OldPerson.self, property: "dogs")
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class OldPerson: Object {
  let dogs = List<OldDog>()
  let numbers = MutableSet<Int>()
  let scores = Map<String, Double>()
  let anything = RealmProperty<AnyRealmValue>()
  let height = RealmProperty<Double?>()
  let ignored = List<Int>()
  var plain = 3

  override class func ignoredProperties() -> [String] { ["ignored", "plain"] }
  override class func indexedProperties() -> [String] { ["anything"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Mixed: Object {
  @Persisted(primaryKey: true) var id: Int
  let list = List<Int>()
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Lazy: Object {
  let numbers = List<Int>()
  lazy var later = List<Int>()
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite(.serialized) struct LegacyFieldsTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm([OldDog.self, OldPerson.self]) }

  private func person() -> OldPerson {
    let person = OldPerson(value: ["dogs": [["age": 3, "tags": ["a", "b"]]], "numbers": [1, 2]])
    person.scores["x"] = 1.5
    person.anything.value = .fromArray([.int(1)])
    person.ignored.append(9)
    return person
  }

  @Test func unmanagedTheyAreWhatTheyAre() {
    let person = person()
    expectEqual(person.dogs[0].age.value, 3)
    expectEqual(Array(person.dogs[0].tags), ["a", "b"])
    expectEqual(person.numbers.count, 2)
    expectTrue(person.height.value == nil)
    expectTrue(person.dogs[0].owners.isEmpty)
    person.height.value = 1.5
    expectEqual("\(person.height)", "1.5")
    expectEqual("\(OldDog().age)", "nil")
    expectTrue(RealmProperty<Int?>() == RealmProperty<Int?>())
  }

  @Test func addedTheyAreThoseOfTheDatabase() throws {
    do {
      let realm = try file.open()
      let person = person()
      let (dogs, scores) = (person.dogs, person.scores)
      try realm.write {
        realm.add(person)
        person.height.value = 1.75
        person.dogs.append(OldDog(value: ["tags": ["c"]]))
        scores["y"] = 2
      }
      expectTrue(dogs === person.dogs)
      expectEqual(dogs.count, 2)
      expectEqual(dogs.realm, realm)
      expectEqual(person.scores.keys, ["x", "y"])
      expectEqual(person.height.value, 1.75)
      expectEqual(person.dogs[0].owners.first?.numbers.contains(2), true)
      expectEqual(realm.objects(OldPerson.self).first?.plain, 3)
      let made = try realm.write {
        realm.create(OldPerson.self, value: ["numbers": [7], "height": 2] as [String: Any])
      }
      expectTrue(made.numbers.contains(7))
      expectEqual(made.height.value, 2)
      expectTrue(made.dogs.isEmpty)
      expectEqual(made.dogs.realm, realm)
      #expect(throws: Never.self) { try realm.write { realm.delete(made) } }
    }
    let realm = try file.open()
    let person = try #require(realm.objects(OldPerson.self).first)
    expectTrue(person.dogs.count == 2 && person.dogs[0].age.value == 3)
    expectTrue(person.dogs[1].age.value == nil && person.dogs[1].tags[0] == "c")
    expectTrue(person.anything.value.listValue?[0] == .int(1) && person.ignored.isEmpty)
    expectTrue(person.dogs[0].owners.count == 1 && person.dogs[0].owners[0].height.value == 1.75)
    expectEqual(realm.objects(OldDog.self).filter("age == 3").count, 1)
    expectEqual(realm.objects(OldPerson.self).filter("ANY dogs.age == 3").count, 1)
    let frozen = person.freeze()
    try realm.write { person.dogs[0].age.value = 4 }
    expectEqual(frozen.dogs[0].age.value, 3)
    expectEqual(person.dogs[0].age.value, 4)
    let height = person.height
    let column = try realm.core.classes[OldPerson.self].table.schema.column(named: "anything")
    expectEqual(column?.isIndexed, true)
    expectEqual(height.value, 1.75)
    try ReferenceReader.check(file.configuration)
  }

  @Test func withPersistedPropertiesOnlyThoseCount() throws {
    file.configuration.objectTypes = [Mixed.self]
    let realm = try file.open()
    try expectEqual(realm.core.classes[Mixed.self].table.schema.columns.map(\.name), ["id"])
    let object = Mixed(value: ["id": 1])
    object.list.append(1)
    try realm.write { realm.add(object) }
    expectTrue(object.list.realm == nil)
    expectEqual(object.list.count, 1)
  }

  @Test func testsMayMixThem() throws {
    _RealmTesting.discoverLegacyGenerics = true
    defer { _RealmTesting.discoverLegacyGenerics = false }
    expectEqual(ModelSchema.reflect(Mixed.self).map(\.name), ["id", "list"])
  }

  @Test func lazyFieldsAreRefused() throws {
    file.configuration.objectTypes = [Lazy.self]
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    #expect(
      error.localizedDescription.contains(
        "Lazy managed property 'later' is not allowed on a Realm Swift object class. Either add "
          + "the property to the ignored properties list or make it non-lazy."))
  }

  @Test func codable() throws {
    let property = RealmProperty<Int?>()
    property.value = 4
    let data = try JSONEncoder().encode([property])
    expectEqual(String(decoding: data, as: UTF8.self), "[4]")
    try expectEqual(JSONDecoder().decode([RealmProperty<Int?>].self, from: data)[0].value, 4)
  }

  @Test func changingOutsideATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([OldDog.self, OldPerson.self]).open()
      let dog = try realm.write { realm.create(OldDog.self) }
      dog.age.value = 3
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains("Attempting to modify object outside of a write transaction"))
  }
}
