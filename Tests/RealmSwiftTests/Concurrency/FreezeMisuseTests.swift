// SPDX-License-Identifier: Apache-2.0

// Operations that frozen objects and collections do not allow trap with the documented message.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct FreezeMisuseTests {
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func writing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try annsRealm().freeze().write {}
    }
    expect("Can't perform transactions on a frozen Realm", in: result)
  }

  @Test func adding() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try annsRealm().freeze().add(Dog())
    }
    expect("Can't perform transactions on a frozen Realm", in: result)
  }

  @Test func settingAProperty() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try annsRealm().objects(Person.self)[0].freeze().name = "x"
    }
    expect(
      "Attempting to modify a frozen object - call thaw on the Object instance first.", in: result)
  }

  @Test func changingAList() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try annsRealm().objects(Person.self)[0].dogs.freeze().removeAll()
    }
    expect(
      "Attempting to modify a frozen object - call thaw on the Object instance first.", in: result)
  }

  @Test func appendingAFrozenObjectToALiveList() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try annsRealm()
      let person = realm.objects(Person.self)[0]
      try realm.write { person.dogs.append(person.dogs[0].freeze()) }
    }
    expect("Object is already managed by another Realm.", in: result)
  }

  @Test func deletingAFrozenObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try annsRealm()
      try realm.write { realm.delete(realm.objects(Person.self)[0].freeze()) }
    }
    expect("Can only delete an object from the Realm it belongs to.", in: result)
  }

  @Test func observingARealm() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try annsRealm().freeze().observe { _, _ in }
    }
    expect("Frozen Realms do not change and do not have change notifications.", in: result)
  }

  @Test func observingAnObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try annsRealm().objects(Person.self)[0].freeze().observe { (_: ObjectChange<Person>) in }
    }
    expect("Frozen Realms do not change and do not have change notifications.", in: result)
  }

  @Test func observingACollection() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try annsRealm().objects(Person.self).freeze().observe { _ in }
    }
    expect("Frozen Realms do not change and do not have change notifications.", in: result)
  }

  @Test func enablingAutorefresh() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try annsRealm().freeze().autorefresh = true
    }
    expect("Auto-refresh cannot be enabled for frozen Realms.", in: result)
  }

  @Test func freezingAnUnmanagedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person().freeze()
    }
    expect("Unmanaged objects cannot be frozen.", in: result)
  }

  @Test func thawingAnUnmanagedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person().thaw()
    }
    expect("Unmanaged objects cannot be thawed.", in: result)
  }

  @Test func freezingAnUnmanagedList() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Person().dogs.freeze()
    }
    expect(
      "This method may only be called on List instances retrieved from a Realm", in: result)
  }

  @Test func freezingADeletedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try annsRealm()
      let person = realm.objects(Person.self)[0]
      try realm.write { realm.delete(person) }
      _ = person.freeze()
    }
    expect("Object has been deleted or invalidated.", in: result)
  }

  @Test func freezingInvalidatedResults() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try annsRealm()
      let people = realm.objects(Person.self)
      realm.invalidate()
      _ = people.freeze()
    }
    expect("Access to invalidated Results objects", in: result)
  }

  @Test func freezingAnObjectInTheTransactionThatCreatesIt() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try annsRealm()
      try realm.write { _ = realm.create(Dog.self).freeze() }
    }
    expect(
      "Cannot freeze an object in the same write transaction as it was created in.", in: result)
  }

  @Test func readingFromAnInvalidatedFrozenRealm() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let frozen = try annsRealm().freeze()
      let person = frozen.objects(Person.self)[0]
      frozen.invalidate()
      _ = person.name
    }
    expect("Cannot read from a frozen Realm which has been invalidated.", in: result)
  }

  @Test func freezingOnAnotherThread() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let person = Everywhere(try annsRealm().objects(Person.self)[0])
      try onAnotherThread { _ = person.value.freeze() }
    }
    expect("Realm accessed from incorrect thread.", in: result)
  }
}

/// A realm in memory with Ann, who has a dog.
private func annsRealm() throws -> Realm {
  let realm = try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self]))
  try realm.write {
    realm.create(Person.self, value: ["id": 1, "name": "Ann", "dogs": [["name": "Rex"]]])
  }
  return realm
}
