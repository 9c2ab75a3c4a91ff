// SPDX-License-Identifier: Apache-2.0

// Misuse of transactions, and of what they are given, ends with the documented texts.

import Foundation
import RealmSwiftTestSupport
import Testing

@testable import RealmSwift

struct WriteMisuseTests {
  private static let outside =
    "Can only add, remove, or create objects in a Realm in a write transaction - call "
    + "beginWrite() on the Realm first."

  private static let foreign =
    "Object is already managed by another Realm. Use create instead to copy it into this Realm."

  static let cases: [MisuseCase] = [
    MisuseCase("creatingOutside", outside) {
      try Misuse.realmWithPerson().realm.create(Dog.self)
    },
    MisuseCase("creatingByNameOutside", outside) {
      try Misuse.realmWithPerson().realm.dynamicCreate("Dog")
    },
    MisuseCase("addingOutside", outside) {
      try Misuse.realmWithPerson().realm.add(Dog())
    },
    MisuseCase("addingSeveralOutside", outside) {
      try Misuse.realmWithPerson().realm.add([Dog(), Dog()])
    },
    MisuseCase("deletingOutside", outside) {
      let (realm, person) = try Misuse.realmWithPerson()
      realm.delete(person)
    },
    MisuseCase("deletingResultsOutside", outside) {
      let realm = try Misuse.realmWithPerson().realm
      realm.delete(realm.objects(Person.self))
    },
    MisuseCase("deletingAListOutside", outside) {
      let (realm, person) = try Misuse.realmWithPerson()
      realm.delete(person.dogs)
    },
    MisuseCase("deletingAllOutside", outside) {
      try Misuse.realmWithPerson().realm.deleteAll()
    },
    MisuseCase("settingByNameOutside", "Attempting to modify object outside of a write transaction")
    { try Misuse.realmWithPerson().person["name"] = "x" },
    MisuseCase(
      "settingAllOfResultsOutside", "Cannot modify Results outside of a write transaction."
    ) {
      try Misuse.realmWithPerson().realm.objects(Person.self).setValue("x", forKey: "name")
    },
    MisuseCase("addingAForeignObject", foreign) {
      let person = try Misuse.realmWithPerson().person
      let other = try Misuse.realmWithPerson().realm
      try other.write { other.add(person) }
    },
    MisuseCase("appendingAForeignObject", foreign) {
      let (realm, _) = try Misuse.realmWithPerson()
      let dog = try realm.write { realm.create(Dog.self) }
      let (other, person) = try Misuse.realmWithPerson()
      try other.write { person.dogs.append(dog) }
    },
    MisuseCase(
      "addingADeletedObject", "Adding a deleted or invalidated object to a Realm is not permitted"
    ) {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write {
        realm.delete(person)
        realm.add(person)
      }
    },
    MisuseCase(
      "deletingAForeignObject", "Can only delete an object from the Realm it belongs to."
    ) {
      let person = try Misuse.realmWithPerson().person
      let other = try Misuse.realmWithPerson().realm
      try other.write { other.delete(person) }
    },
    MisuseCase(
      "deletingAnUnmanagedObject", "Can only delete an object from the Realm it belongs to."
    ) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { realm.delete(Dog()) }
    },
    MisuseCase(
      "deletingForeignObjects", "Can only delete an object from the Realm it belongs to."
    ) {
      let person = try Misuse.realmWithPerson().person
      let other = try Misuse.realmWithPerson().realm
      try other.write { other.delete([person]) }
    },
    MisuseCase("deletingForeignObjectsOutside", outside) {
      let person = try Misuse.realmWithPerson().person
      try Misuse.realmWithPerson().realm.delete([person])
    },
    MisuseCase("deletingDeletedObjects", "Object has been deleted or invalidated.") {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write {
        realm.delete(person)
        realm.delete([person])
      }
    },
    MisuseCase("deletingDeletedObjectsOutside", outside) {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { realm.delete(person) }
      realm.delete([person])
    },
    MisuseCase(
      "skippingObserversOfAnotherRealm",
      "Incorrect Realm: only notifications for the Realm being modified can be skipped."
    ) {
      let token = try Misuse.realmWithPerson().realm.objects(Person.self).observe(
        on: DispatchQueue(label: "observer")
      ) { _ in }
      let other = try Misuse.realmWithPerson().realm
      try other.write(withoutNotifying: [token]) {}
    },
    MisuseCase(
      "skippingObserversOfAnotherRealmThatAreYetToBegin",
      "Incorrect Realm: only notifications for the Realm being modified can be skipped."
    ) {
      let queue = DispatchQueue(label: "observer")
      queue.suspend()
      let token = try Misuse.realmWithPerson().realm.objects(Person.self).observe(on: queue) { _ in
      }
      let other = try Misuse.realmWithPerson().realm
      try other.write(withoutNotifying: [token]) {}
    },
    MisuseCase(
      "committingWithObserversOfAnotherRealm",
      "Incorrect Realm: only notifications for the Realm being modified can be skipped."
    ) {
      let token = try Misuse.realmWithPerson().realm.objects(Person.self).observe(
        on: DispatchQueue(label: "observer")
      ) { _ in }
      let other = try Misuse.realmWithPerson().realm
      other.beginWrite()
      try other.commitWrite(withoutNotifying: [token])
    },
    MisuseCase(
      "findingByAKeyOfAnotherType",
      "Invalid value 'x' of type 'String' for 'int' property 'Person.id'."
    ) {
      _ = try Misuse.realmWithPerson().realm.object(ofType: Person.self, forPrimaryKey: "x")
    },
    MisuseCase(
      "noPrimaryKey", "Invalid null value for non-nullable primary key 'Person.id'."
    ) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { _ = realm.create(Person.self, value: ["id": NSNull()]) }
    },
    MisuseCase("tooManyValues", "Invalid array input: more values (3) than properties (2).") {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { _ = realm.create(Dog.self, value: ["a", 1, 2] as [Any]) }
    },
    MisuseCase(
      "aValueThatIsNoSequence",
      "Invalid value (7) for 'string' array property 'Person.nicknames': value is not enumerable."
    ) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { _ = realm.create(Person.self, value: ["id": 2, "nicknames": 7]) }
    },
    MisuseCase(
      "anObjectThatLacksProperties",
      "Invalid value 'Dog {\n\tname = ;\n\tage = 0;\n}' to initialize object of type 'Person': "
        + "missing key 'id'"
    ) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { _ = realm.create(Person.self, value: Dog()) }
    },
  ]

  /// `RealmException` 2: each says its reason as this function does.
  @Test(arguments: cases.map(\.name)) func misuse(_ name: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [name] in
      try Self.cases.run(name)
    }
    Self.cases.expectText(of: name, result)
  }
}
