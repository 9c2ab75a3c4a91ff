// SPDX-License-Identifier: Apache-2.0

// Misuse of collections ends with the documented texts.

import Foundation
import RealmSwiftTestSupport
import Testing

@testable import RealmSwift

private class Owned: EmbeddedObject {
  @Persisted var number: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Owner: Object {
  @Persisted var list: List<Owned>
  @Persisted var map: Map<String, Owned?>
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct CollectionMisuseTests {
  private static let unmanagedList =
    "This method may only be called on List instances retrieved from a Realm"

  private static let unmanagedSet =
    "This method may only be called on MutableSet instances retrieved from a Realm"

  private static let unmanagedMap =
    "This method may only be called on Map instances retrieved from a Realm"

  private static let invalidList =
    "List is no longer valid. Either the parent object was deleted or the containing Realm has "
    + "been invalidated or closed."

  static let cases: [MisuseCase] = [
    MisuseCase("objectsBeyondTheEnd", "Indexes for collection are out of bounds.") {
      _ = try Misuse.realmWithPerson().realm.objects(Person.self).objects(at: [0, 1])
    },
    MisuseCase(
      "removingTooManyFirst",
      "It is not possible to remove more objects (2) from a list than it already contains (0)."
    ) {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { person.dogs.removeFirst(2) }
    },
    MisuseCase(
      "removingTooManyLast",
      "It is not possible to remove more objects (3) from a list than it already contains (1)."
    ) {
      let list = List<Int>()
      list.append(1)
      list.removeLast(3)
    },
    MisuseCase("insertingBeyondTheEnd", "Index 2 is out of bounds (must be less than 1).") {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { person.nicknames.insert("x", at: 2) }
    },
    MisuseCase("movingFromBeyondTheEnd", "Index 1 is out of bounds (must be less than 1).") {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write {
        person.nicknames.append("x")
        person.nicknames.move(from: 1, to: 0)
      }
    },
    MisuseCase("removingWhatIsNotThere", "Index 0 is out of bounds (must be less than 0).") {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { person.nicknames.remove(at: 0) }
    },
    MisuseCase("aNegativePosition", "Cannot pass a negative value for 'index'.") {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { person.nicknames.insert("x", at: -1) }
    },
    MisuseCase("nilInAList", "Invalid nil value for array of 'string'.") {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { person["nicknames"] = ["a", NSNull()] as [Any] }
    },
    MisuseCase("nilInAListOfObjects", "Invalid nil value for array of 'Dog'.") {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write {
        _ = realm.create(Person.self, value: ["id": 2, "dogs": [NSNull()]] as [String: Any])
      }
    },
    MisuseCase(
      "anEmbeddedElementInItsPlace", "Cannot add an existing managed embedded object to a List."
    ) {
      let realm = try TemporaryRealm([Owner.self, Owned.self]).open()
      let owner = try realm.write { realm.create(Owner.self, value: ["list": [[1]]]) }
      try realm.write { owner.list[0] = owner.list[0] }
    },
    MisuseCase(
      "anEmbeddedValueInItsPlace",
      "Cannot add an existing managed embedded object to a Dictionary."
    ) {
      let realm = try TemporaryRealm([Owner.self, Owned.self]).open()
      let owner = try realm.write { realm.create(Owner.self, value: ["map": ["a": [1]]]) }
      try realm.write { owner.map["a"] = owner.map["a"] }
    },
    MisuseCase("aListOfADeletedObject", invalidList) {
      let (realm, person) = try Misuse.realmWithPerson()
      let names = person.nicknames
      try realm.write { realm.delete(person) }
      names.first.map { _ = $0 }
    },
    MisuseCase("aListOfAnInvalidatedRealm", invalidList) {
      let (realm, person) = try Misuse.realmWithPerson()
      let names = person.nicknames
      realm.invalidate()
      _ = names.count
    },
    MisuseCase("changingAListOfADeletedObject", invalidList) {
      let (realm, person) = try Misuse.realmWithPerson()
      let names = person.nicknames
      try realm.write {
        realm.delete(person)
        names.append("x")
      }
    },
    MisuseCase("filteringAnUnmanagedList", unmanagedList) {
      _ = Person().dogs.filter("age > 3")
    },
    MisuseCase("sortingAnUnmanagedList", unmanagedList) {
      _ = Person().dogs.sorted(byKeyPath: "age")
    },
    MisuseCase("queryingAnUnmanagedList", unmanagedList) {
      _ = Person().dogs.where { $0.age > 3 }
    },
    MisuseCase("distinctOfAnUnmanagedList", unmanagedList) {
      _ = Person().nicknames.distinct()
    },
    MisuseCase("sortingAnUnmanagedSet", unmanagedSet) {
      _ = Shelf().dogs.sorted(byKeyPath: "age")
    },
    MisuseCase("sortingAnUnmanagedMap", unmanagedMap) {
      _ = Shelf().pets.sorted(byKeyPath: "age")
    },
    MisuseCase("indexInASet", "index(of:) is not available on MutableSet") {
      _ = MutableSet<Int>().index(of: 1)
    },
    MisuseCase("matchingInASet", "index(matching:) is not available on MutableSet") {
      _ = Shelf().dogs.index(matching: { $0.age == 1 })
    },
    MisuseCase("matchingTextInASet", "index(matching:) is not available on MutableSet") {
      _ = Shelf().dogs.index(matching: "age == 1")
    },
    MisuseCase("matchingAPredicateInASet", "index(matching:) is not available on MutableSet") {
      _ = Shelf().dogs.index(matching: NSPredicate(format: "age == 1"))
    },
    MisuseCase("positionInAMap", "Index 0 is out of bounds (must be less than 0).") {
      let map = Map<String, Int>()
      _ = map[map.startIndex]
    },
    MisuseCase("searchingADeletedObject", "Object has been deleted or invalidated.") {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { realm.delete(person) }
      _ = realm.objects(Person.self).index(of: person)
    },
    MisuseCase("searchingAForeignObject", "Object must be from the Realm being queried") {
      let person = try Misuse.realmWithPerson().person
      _ = try Misuse.realmWithPerson().realm.objects(Person.self).index(of: person)
    },
  ]

  @Test(arguments: cases.map(\.name)) func misuse(_ name: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name] in
      try Self.cases.run(name)
    }
    Self.cases.expectText(of: name, result)
  }
}
