// SPDX-License-Identifier: Apache-2.0

// The examples of the page about threading: frozen objects.

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) nonisolated struct FrozenExampleTests {
  @Test func freezing() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      try Self.freeze()
    }
  }

  private static func freeze() throws {
    let realm = try Realm()
    try realm.write { realm.add(Keeper(name: "John")) }
    // Get an immutable copy of the realm that can be passed across threads
    let frozenRealm = realm.freeze()
    precondition(frozenRealm.isFrozen)
    let people = realm.objects(Keeper.self)
    // You can freeze collections
    let frozenPeople = people.freeze()
    precondition(frozenPeople.isFrozen)
    // You can still read from frozen realms
    let frozenPeople2 = frozenRealm.objects(Keeper.self)
    precondition(frozenPeople2.isFrozen)
    let person = people.first!
    precondition(!person.realm!.isFrozen)
    // You can freeze objects
    let frozenPerson = person.freeze()
    precondition(frozenPerson.isFrozen)
    // Frozen objects have a reference to a frozen realm
    precondition(frozenPerson.realm!.isFrozen)
  }

  @Test func modifyingWhatWasFrozen() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      try Self.thaw()
    }
  }

  private static func thaw() throws {
    let realm = try Realm()
    try realm.write { realm.add(Keeper(name: "John")) }
    let frozenRealm = realm.freeze()
    // Read from a frozen realm
    let frozenPeople = frozenRealm.objects(Keeper.self)
    // The collection that we pull from the frozen realm is also frozen
    precondition(frozenPeople.isFrozen)
    // Get an individual person from the collection
    let frozenPerson = frozenPeople.first!
    // To modify the person, you must first thaw it
    // You can also thaw collections and realms
    let thawedPerson = frozenPerson.thaw()
    // Check to make sure this person is valid. An object is
    // invalidated when it is deleted from its managing realm,
    // or when its managing realm has invalidate() called on it.
    precondition(thawedPerson?.isInvalidated == false)
    // Thawing the person also thaws the frozen realm it references
    precondition(thawedPerson!.realm!.isFrozen == false)
    // Let's make the code easier to follow by naming the thawed realm
    let thawedRealm = thawedPerson!.realm!
    // Now, you can modify the person
    try thawedRealm.write {
      thawedPerson!.name = "John Michael Kane"
    }
    precondition(frozenPerson.name == "John")
    precondition(realm.objects(Keeper.self).first?.name == "John Michael Kane")
  }

  @Test func appendingToWhatWasFrozen() async {
    await #expect(processExitsWith: .success) {
      let directory = try useDefaultRealm()
      defer { withExtendedLifetime(directory) {} }
      try Self.append()
    }
  }

  private static func append() throws {
    let realm = try Realm()
    try realm.write {
      realm.add(Keeper(name: "Timmy"))
      realm.create(Pet.self, value: ["name": "Lassie"])
    }
    let frozenRealm = realm.freeze()
    // Get a copy of frozen objects.
    // Here, we're getting them from a frozen realm,
    // but you might also be passing them across threads.
    let frozenTimmy = frozenRealm.objects(Keeper.self).where {
      $0.name == "Timmy"
    }.first!
    let frozenLassie = frozenRealm.objects(Pet.self).where {
      $0.name == "Lassie"
    }.first!
    // Confirm the objects are frozen.
    precondition(frozenTimmy.isFrozen == true)
    precondition(frozenLassie.isFrozen == true)
    // Thaw the frozen objects. You must thaw both the object
    // you want to append and the collection you want to append it to.
    let thawedTimmy = frozenTimmy.thaw()
    let thawedLassie = frozenLassie.thaw()
    try realm.write {
      thawedTimmy?.pets.append(thawedLassie!)
    }
    precondition(thawedTimmy?.pets.first?.name == "Lassie")
  }
}
