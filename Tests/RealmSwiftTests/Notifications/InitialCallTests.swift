// SPDX-License-Identifier: Apache-2.0

// An observer without a notification so far is notified of the state before a transaction of its
// thread.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct InitialCallTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm.ofShelves() }

  private func open() async throws -> (Realm, Shelf, Person) {
    let realm = try await Realm(configuration: file.configuration)
    return try realm.write {
      let shelf = realm.create(
        Shelf.self, value: ["id": 1, "numbers": [1], "dogs": [["name": "A"]], "scores": ["a": 1]])
      let person = realm.create(
        Person.self, value: ["id": 1, "name": "Ann", "dogs": Array(shelf.dogs)])
      return (realm, shelf, person)
    }
  }

  @Test(arguments: [nil, ["name"]]) func collectionsAreToldOfTheStateBefore(
    keyPaths: [String]?
  ) async throws {
    let (realm, _, person) = try await open()
    let told = Recorder<ToldChange>()
    let people = realm.objects(Person.self)
    let cards = realm.objects(Card.self)
    let tokens = [
      people.observe(keyPaths: keyPaths) { told.add(ToldChange($0)) },
      people.sorted(byKeyPath: "name").observe(keyPaths: keyPaths) { told.add(ToldChange($0)) },
      cards.observe(keyPaths: keyPaths) { told.add(ToldChange($0)) },
      person.dogs[0].owners.observe(keyPaths: keyPaths) { told.add(ToldChange($0)) },
    ]
    realm.beginWrite()
    expectEqual(told.all, Array(repeating: .initial(count: 1), count: 4))
    let new = realm.create(Person.self, value: ["id": 2, "name": "Bea"])
    new.dogs.append(person.dogs[0])
    try realm.commitWrite()
    let update = ToldChange.update(count: 2, deletions: [], insertions: [1], modifications: [])
    await expectEqual(told.wait(for: 8).suffix(4), Array(repeating: update, count: 4)[...])
    for token in tokens { token.invalidate() }
  }

  @Test func collectionsOfObjectsAreToldOfTheStateBefore() async throws {
    let (realm, shelf, person) = try await open()
    let told = Recorder<ToldChange>()
    let maps = Recorder<String>()
    let tokens = [
      person.dogs.observe { told.add(ToldChange($0)) },
      shelf.dogs.observe { told.add(ToldChange($0)) },
      shelf.numbers.observe { told.add(ToldChange($0)) },
      person.dogs.projectTo.name.observe { told.add(ToldChange($0)) },
      shelf.scores.observe { change in
        switch change {
        case .initial(let map): maps.add("initial \(map.count)")
        case .update(let map, let deletions, let insertions, let modifications):
          maps.add("\(map.count) \(deletions) \(insertions) \(modifications)")
        case .error: maps.add("error")
        }
      },
    ]
    try realm.write {
      expectEqual(told.all, Array(repeating: .initial(count: 1), count: 4))
      expectEqual(maps.all, ["initial 1"])
      let dog = realm.create(Dog.self, value: ["name": "B"])
      person.dogs.append(dog)
      shelf.dogs.insert(dog)
      shelf.numbers.insert(2)
      shelf.scores["b"] = 2
    }
    let update = ToldChange.update(count: 2, deletions: [], insertions: [1], modifications: [])
    await expectEqual(told.wait(for: 8).suffix(4), Array(repeating: update, count: 4)[...])
    await expectEqual(maps.wait(for: 2).last, "2 [] [\"b\"] []")
    for token in tokens { token.invalidate() }
  }

  @Test func twoQueuedWritesAreToldOneByOne() async throws {
    let (realm, _, _) = try await open()
    let told = Recorder<ToldChange>()
    let token = realm.objects(Person.self).observe { told.add(ToldChange($0)) }
    for id in 2...3 {
      realm.writeAsync { realm.create(Person.self, value: ["id": id, "name": "n"]) }
    }
    let expected: [ToldChange] = [
      .initial(count: 1),
      .update(count: 2, deletions: [], insertions: [1], modifications: []),
      .update(count: 3, deletions: [], insertions: [2], modifications: []),
    ]
    await expectEqual(told.wait(for: 3), expected)
    token.invalidate()
  }

  @Test func aTokenOfTheRealmIsKeptOutOfATransaction() async throws {
    let (realm, _, _) = try await open()
    let told = Recorder<String>()
    let token = realm.observe { notification, _ in told.add(notification.rawValue) }
    let other = realm.observe { _, _ in told.add("other") }
    try realm.write(withoutNotifying: [token]) {
      realm.create(Person.self, value: ["id": 2, "name": "Bea"])
    }
    expectEqual(told.all, ["other"])
    realm.beginWrite()
    realm.create(Person.self, value: ["id": 3, "name": "Cid"])
    try realm.commitWrite(withoutNotifying: [token, other])
    expectEqual(told.all, ["other"])
    try realm.write { realm.create(Person.self, value: ["id": 4, "name": "Dan"]) }
    expectEqual(told.all, ["other", "RLMRealmDidChangeNotification", "other"])
    token.invalidate()
    other.invalidate()
  }
}
