// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

@MainActor @Suite(.timeLimit(.minutes(10))) struct AnyRealmCollectionTests {
  private func shelf() async throws -> (TemporaryRealm, Realm, Shelf) {
    let file = try TemporaryRealm.ofShelves()
    let realm = try await Realm(configuration: file.configuration)
    let shelf = try realm.write {
      realm.create(
        Shelf.self,
        value: ["id": 1, "tags": ["b", "a"], "dogs": [["age": 3], ["age": 1], ["age": 2]]])
    }
    return (file, realm, shelf)
  }

  @Test func everyKindOfCollectionIsItself() async throws {
    let (_, realm, shelf) = try await shelf()
    let person = try realm.write {
      let person = realm.create(Person.self, value: ["id": 1])
      person.dogs.append(objectsIn: shelf.dogs)
      return person
    }
    let dogs = [
      AnyRealmCollection(shelf.dogs), AnyRealmCollection(person.dogs),
      AnyRealmCollection(realm.objects(Dog.self)),
      AnyRealmCollection(person.dogs.sorted(byKeyPath: "age", ascending: false)),
    ]
    expectEqual(dogs.map { $0.map(\.age) }, [[3, 1, 2], [3, 1, 2], [3, 1, 2], [3, 2, 1]])
    expectEqual(dogs.map { $0.sum(of: \.age) }, [6, 6, 6, 6])
    expectEqual(dogs.map { $0.where { $0.age > 1 }.count }, [2, 2, 2, 2])
    expectEqual(dogs[3].index(of: person.dogs[2]), 1)
    expectEqual(withoutAddresses(dogs[1]), withoutAddresses(person.dogs))
    expectTrue(dogs[1] == AnyRealmCollection(person.dogs))
    expectTrue(dogs[1] != dogs[2])
    expectEqual(AnyRealmCollection(dogs[1]), dogs[1])
    let owners = AnyRealmCollection(person.dogs[0].owners)
    expectEqual(owners.count, 1)
    expectEqual(owners.first?.id, 1)
  }

  @Test func unmanagedListsHaveNoRealm() {
    let list = List<Int>()
    list.append(objectsIn: [3, 1])
    let any = AnyRealmCollection(list)
    expectEqual(Array(any), [3, 1])
    expectTrue(any.realm == nil)
    expectFalse(any.isFrozen)
    expectFalse(any.isInvalidated)
    list.append(5)
    expectEqual(any.last, 5)
    expectEqual(any[1], 1)
  }

  @Test func frozenThawedAndHandedOver() async throws {
    let (file, realm, shelf) = try await shelf()
    for any in [
      AnyRealmCollection(shelf.dogs), AnyRealmCollection(realm.objects(Dog.self)),
      AnyRealmCollection(shelf.dogs.where { $0.age > 0 }),
    ] {
      let frozen = any.freeze()
      expectTrue(frozen.isFrozen)
      expectEqual(frozen.count, 3)
      expectFalse(any.isFrozen)
      expectEqual(frozen.thaw()?.count, 3)
      expectEqual(frozen.thaw()?.isFrozen, false)
      let reference = ThreadSafeReference(to: any)
      let configuration = file.configuration
      let count = try await Task.detached {
        try Realm(configuration: configuration).resolve(reference)?.count
      }.value
      expectEqual(count, 3)
    }
    try realm.write { realm.delete(shelf) }
    expectTrue(AnyRealmCollection(realm.objects(Shelf.self)).isEmpty)
  }

  @Test func observersAreTold() async throws {
    let (_, realm, shelf) = try await shelf()
    let told = Recorder<ToldChange>()
    let any = AnyRealmCollection(shelf.dogs)
    let token = any.observe { told.add(ToldChange($0)) }
    await expectEqual(told.wait(for: 1), [.initial(count: 3)])
    try realm.write { shelf.dogs.insert(Dog(value: ["age": 9])) }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 4, deletions: [], insertions: [3], modifications: []))
    token.invalidate()
  }
}
