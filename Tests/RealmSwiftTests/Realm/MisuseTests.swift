// SPDX-License-Identifier: Apache-2.0

// Programs that break a rule of the API end with the documented text. Each test runs a program of
// its own.

import Foundation
import RealmSwiftTestSupport
import Testing

@_spi(RealmTesting) @testable import RealmSwift

struct MisuseTests {
  /// What a misused program said before it ended.
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func readingFromAnotherThread() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      nonisolated(unsafe) let person = try Misuse.realmWithPerson().person
      let thread = Thread { print(person.name) }
      thread.start()
      sleep(10)
    }
    expect("Realm accessed from incorrect thread.", in: result)
  }

  @Test func settingAPropertyOutsideATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Misuse.realmWithPerson().person.name = "x"
    }
    expect(
      "Attempting to modify object outside of a write transaction - call beginWrite() on the Realm "
        + "first. Set properties of 'Person' in 'realm.write { … }'.", in: result)
  }

  @Test func addingOutsideATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Misuse.realmWithPerson().realm.add(Dog())
    }
    expect(
      "Can only add, remove, or create objects in a Realm in a write transaction - call "
        + "beginWrite() on the Realm first.", in: result)
  }

  @Test func changingAListOutsideATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Misuse.realmWithPerson().person.nicknames.append("x")
    }
    expect(
      "Cannot modify List outside of a write transaction. Change 'Person.nicknames' in "
        + "'realm.write { … }'.", in: result)
  }

  @Test func beginningTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      realm.beginWrite()
      realm.beginWrite()
    }
    expect("The Realm is already in a write transaction", in: result)
  }

  @Test func committingWithoutATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Misuse.realmWithPerson().realm.commitWrite()
    }
    expect("Can't commit a non-existing write transaction", in: result)
  }

  @Test func cancellingWithoutATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Misuse.realmWithPerson().realm.cancelWrite()
    }
    expect("Can't cancel a non-existing write transaction", in: result)
  }

  @Test func dataThatIsTooLarge() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm().open()
      realm.beginWrite()
      realm.create(AllTypes.self).data = Data(count: 0xFF_FFF1)
    }
    expect("Binary too big", in: result)
  }

  @Test func aTextThatIsTooLarge() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm().open()
      realm.beginWrite()
      realm.create(AllTypes.self).string = String(repeating: "x", count: 0xFF_FFF0)
    }
    expect("String too big", in: result)
  }

  @Test func negativeIndex() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Misuse.realmWithPerson().realm.objects(Person.self)[-1]
    }
    expect("Cannot pass a negative value for 'index'.", in: result)
  }

  @Test func indexBeyondTheEnd() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Misuse.realmWithPerson().realm.objects(Person.self)[1]
    }
    expect("Index 1 is out of bounds (must be less than 1).", in: result)
  }

  @Test func listIndexBeyondTheEnd() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Misuse.realmWithPerson().person.nicknames[0]
    }
    expect("Index 0 is out of bounds (must be less than 0).", in: result)
  }

  @Test func readingADeletedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { realm.delete(person) }
      _ = person.name
    }
    expect("Object has been deleted or invalidated.", in: result)
  }

  /// `ManagedCollection` 1.
  @Test func usingTheListOfADeletedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, person) = try Misuse.realmWithPerson()
      let names = person.nicknames
      try realm.write { realm.delete(person) }
      _ = names.count
    }
    expect("List is no longer valid.", in: result)
  }

  @Test func changingThePrimaryKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, person) = try Misuse.realmWithPerson()
      try realm.write { person.id = 2 }
    }
    expect("Primary key can't be changed to '2' after an object is inserted.", in: result)
  }

  @Test func duplicatePrimaryKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { _ = realm.create(Person.self, value: ["id": 1]) }
    }
    expect(
      "Attempting to create an object of type 'Person' with an existing primary key value '1'.",
      in: result)
  }

  @Test func duplicatePrimaryKeyOfAnObjectOfTheSameTransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write {
        for id in 2..<300 { realm.add(Person(value: ["id": id])) }
        realm.add(Person(value: ["id": 150]))
      }
    }
    expect(
      "Attempting to create an object of type 'Person' with an existing primary key value '150'.",
      in: result)
  }

  @Test func findingByAPrimaryKeyThatIsMissing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Misuse.realmWithPerson().realm.object(ofType: Dog.self, forPrimaryKey: 1)
    }
    expect("'Dog' does not have a primary key defined", in: result)
  }

  @Test func updatingWithoutAPrimaryKey() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { realm.add(Dog(), update: .modified) }
    }
    expect("'Dog' does not have a primary key and can not be updated", in: result)
  }

  @Test func aClassThatIsNotInTheSchema() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Misuse.realmWithPerson().realm.objects(AllTypes.self)
    }
    expect("Object type 'AllTypes' is not managed by the Realm.", in: result)
  }

  @Test func anObjectOfAnotherRealm() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = try Misuse.realmWithPerson().person
      let other = try Misuse.realmWithPerson().realm
      try other.write { other.add(person) }
    }
    expect("Object is already managed by another Realm.", in: result)
  }

  @Test func deletingAnObjectOfAnotherRealm() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = try Misuse.realmWithPerson().person
      let other = try Misuse.realmWithPerson().realm
      try other.write { other.delete(person) }
    }
    expect("Can only delete an object from the Realm it belongs to.", in: result)
  }

  @Test func aValueOfTheWrongType() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try Misuse.realmWithPerson().realm
      try realm.write { _ = realm.create(Person.self, value: ["id": 2, "name": 5]) }
    }
    expect("Invalid value '5' of type 'Int' for 'string' property 'Person.name'.", in: result)
  }

  @Test func writingAReadOnlyRealm() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm()
      _ = try file.open()
      _RealmTesting.resetState()
      file.configuration.readOnly = true
      try file.open().beginWrite()
    }
    expect("Can't perform transactions on read-only Realms.", in: result)
  }
}
