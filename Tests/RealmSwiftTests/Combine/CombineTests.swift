// SPDX-License-Identifier: Apache-2.0

// Objects, collections and realms as publishers, where Combine is.

#if canImport(Combine)
import Combine
import Foundation
import Testing

@testable import RealmSwift

@MainActor @Suite("api.md 21: Combine", .timeLimit(.minutes(10))) struct CombineTests {
  private let file: TemporaryRealm

  init() throws { file = try TemporaryRealm() }

  private func open() async throws -> (Realm, Person) {
    let realm = try await Realm(configuration: file.configuration)
    let person = try realm.write {
      realm.create(Person.self, value: ["id": 1, "name": "Ann", "dogs": [["name": "A"]]])
    }
    return (realm, person)
  }

  @Test func collectionsPublishThemselves() async throws {
    let (realm, person) = try await open()
    let counts = Recorder<Int>()
    let subscription = person.dogs.collectionPublisher.sink(
      receiveCompletion: { _ in }, receiveValue: { counts.add($0.count) })
    #expect(await counts.wait(for: 1) == [1])
    try realm.write { person.dogs.append(Dog()) }
    #expect(await counts.wait(for: 2) == [1, 2])
    subscription.cancel()
    try realm.write { person.dogs.removeAll() }
    #expect(await counts.settled() == [1, 2])
  }

  @Test func changesAreFrozenAndHandedOver() async throws {
    let (realm, person) = try await open()
    let told = Recorder<String>()
    let queue = DispatchQueue(label: "combine")
    let subscriptions = [
      realm.objects(Person.self).changesetPublisher.freeze().receive(on: queue).sink { change in
        if case .update(let people, _, _, let changed) = change {
          told.add("frozen \(people[0].name) \(changed)")
        }
      },
      valuePublisher(person).threadSafeReference().receive(on: queue).sink(
        receiveCompletion: { _ in }, receiveValue: { told.add("live \($0.name)") }),
    ]
    try await Task.sleep(for: .milliseconds(50))
    try realm.write { person.name = "Eve" }
    #expect(await told.wait(for: 2).sorted() == ["frozen Eve [0]", "live Eve"])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func objectsTellAndEnd() async throws {
    let (realm, person) = try await open()
    let told = Recorder<String>()
    let subscriptions = [
      person.objectWillChange.sink { _ in told.add("will change") },
      changesetPublisher(person).sink { change in
        if case .change(_, let properties) = change { told.add(properties[0].name) }
      },
      valuePublisher(person).sink(
        receiveCompletion: { _ in told.add("end") }, receiveValue: { _ in told.add("value") }),
      Person().objectWillChange.sink { _ in told.add("unmanaged") },
    ]
    try realm.write { person.age = 4 }
    #expect(await told.wait(for: 3).sorted() == ["age", "value", "will change"])
    try realm.write { realm.delete(person) }
    #expect(await told.wait(for: 4).contains("end"))
    for subscription in subscriptions { subscription.cancel() }
  }
}
#endif
