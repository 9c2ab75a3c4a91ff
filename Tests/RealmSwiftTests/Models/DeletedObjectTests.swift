// SPDX-License-Identifier: Apache-2.0

// The use of a deleted object reports which one it was and what became of it.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import Testing

struct DeletedObjectTests {
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      said.contains("Object has been deleted or invalidated. " + text),
      "said: \(said.prefix(400))")
  }

  @Test func theVersionThatDeletedItIsNamed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, dogs) = try realmWithDogs()
      // The schema is version 2, the dogs are version 3, this is version 4.
      try realm.write { dogs[0].age = 7 }
      try realm.write { realm.delete(realm.objects(Dog.self).where { $0.name == "Tim" }) }
      _ = dogs[1].name
    }
    expect("It was the Dog with object key 1; version 5 deleted it.", in: result)
  }

  @Test func theOpenTransactionIsNamed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, dogs) = try realmWithDogs()
      try realm.write {
        realm.delete(realm.objects(Dog.self))
        dogs[0].age = 1
      }
    }
    expect("It was the Dog with object key 0; the open write transaction deleted it.", in: result)
  }

  @Test func anInvalidatedRealmIsNamed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, dogs) = try realmWithDogs()
      realm.invalidate()
      _ = dogs[0].name
    }
    expect("It was the Dog with object key 0; its Realm was invalidated.", in: result)
  }

  @Test func anObjectOfACancelledTransactionNeverExisted() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, _) = try realmWithDogs()
      realm.beginWrite()
      let dog = realm.create(Dog.self)
      realm.cancelWrite()
      _ = dog.name
    }
    expect("It was the Dog with object key 2; it does not exist.", in: result)
  }
}

/// A realm in memory with the dogs Rex and Tim.
private func realmWithDogs() throws -> (realm: Realm, dogs: [Dog]) {
  let realm = try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self]))
  let dogs = try realm.write {
    ["Rex", "Tim"].map { realm.create(Dog.self, value: ["name": $0]) }
  }
  return (realm, dogs)
}
