// SPDX-License-Identifier: Apache-2.0

// Observers of sets and maps.

import Dispatch
import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct SetAndMapObserverTests {
  /// A change that an observer of a map was notified of.
  enum ToldMapChange: Equatable, Sendable {
    case initial(keys: [String])
    case update(deletions: [String], insertions: [String], modifications: [String])
    case error

    init<Value>(_ change: RealmMapChange<Map<String, Value>>) {
      switch change {
      case .initial(let map): self = .initial(keys: map.keys)
      case .update(_, let deletions, let insertions, let modifications):
        self = .update(
          deletions: deletions, insertions: insertions, modifications: modifications)
      case .error: self = .error
      }
    }
  }

  private let file: TemporaryRealm
  private let told = Recorder<ToldChange>()
  private let toldOfMaps = Recorder<ToldMapChange>()

  init() throws { file = try .ofShelves() }

  private func open() async throws -> (Realm, Shelf) {
    let realm = try await Realm(configuration: file.configuration)
    let shelf = try realm.write {
      realm.create(
        Shelf.self,
        value: [
          "id": 1, "tags": ["b", "d", "f"], "scores": ["b": 1, "d": 2, "f": 3],
          "dogs": [["age": 0], ["age": 1], ["age": 2]],
          "pets": ["a": ["age": 5], "b": ["age": 6], "c": nil],
        ])
    }
    return (realm, shelf)
  }

  @Test func editsOfSetsArriveWithTheirPositions() async throws {
    let (realm, shelf) = try await open()
    let token = shelf.tags.observe { [told] in told.add(ToldChange($0)) }
    await expectEqual(told.wait(for: 1), [.initial(count: 3)])
    try await writeElsewhere(file.configuration) { realm in
      guard let tags = realm.objects(Shelf.self).first?.tags else { return }
      tags.insert(objectsIn: ["a", "e", "b"])
      tags.remove("d")
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 4, deletions: [1], insertions: [0, 2], modifications: []))
    try realm.write { shelf.tags.insert("a") }
    await expectEqual(told.settled().count, 2)
    try realm.write { shelf.tags.removeAll() }
    await expectEqual(
      told.wait(for: 3).last,
      .update(count: 0, deletions: [0, 1, 2, 3], insertions: [], modifications: []))
    token.invalidate()
  }

  @Test func objectsInSetsAreObserved() async throws {
    let (realm, shelf) = try await open()
    let deletions = Recorder<[Int]>()
    let token = shelf.dogs.observe { [told] change in
      if case .update(let dogs, let deleted, _, _) = change, dogs.isInvalidated {
        deletions.add(deleted)
      } else {
        told.add(ToldChange(change))
      }
    }
    _ = await told.wait(for: 1)
    try await writeElsewhere(file.configuration) { realm in
      guard let dogs = realm.objects(Shelf.self).first?.dogs else { return }
      dogs[2].name = "renamed"
      realm.delete(dogs[0])
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 2, deletions: [0], insertions: [], modifications: [2]))
    try realm.write { realm.delete(shelf) }
    await expectEqual(deletions.wait(for: 1), [[0, 1]])
    expectFalse(token.invalidate())
  }

  @Test func keysOfATransactionThatIsNotToldAreKnown() async throws {
    let (realm, shelf) = try await open()
    let token = shelf.scores.observe { [toldOfMaps] in toldOfMaps.add(ToldMapChange($0)) }
    _ = await toldOfMaps.wait(for: 1)
    try realm.write(withoutNotifying: [token]) {
      shelf.scores["a"] = 0
      shelf.scores["d"] = nil
    }
    try realm.write { shelf.scores["a"] = 1 }
    await expectEqual(
      toldOfMaps.wait(for: 2).last,
      .update(deletions: [], insertions: [], modifications: ["a"]))
    try realm.write(withoutNotifying: [token]) { shelf.scores["z"] = 1 }
    try realm.write { shelf.scores["z"] = nil }
    await expectEqual(
      toldOfMaps.wait(for: 3).last,
      .update(deletions: ["z"], insertions: [], modifications: []))
    token.invalidate()
  }

  @Test func editsOfMapsArriveWithTheirKeys() async throws {
    let (realm, shelf) = try await open()
    let token = shelf.scores.observe { [toldOfMaps] in toldOfMaps.add(ToldMapChange($0)) }
    await expectEqual(toldOfMaps.wait(for: 1), [.initial(keys: ["b", "d", "f"])])
    try await writeElsewhere(file.configuration) { realm in
      guard let scores = realm.objects(Shelf.self).first?.scores else { return }
      scores["a"] = 1
      scores["d"] = nil
      scores["f"] = 4
      scores["z"] = 5
    }
    await expectEqual(
      toldOfMaps.wait(for: 2).last,
      .update(deletions: ["d"], insertions: ["a", "z"], modifications: ["f"]))
    try realm.write { shelf.scores["b"] = 1 }
    await expectEqual(
      toldOfMaps.wait(for: 3).last,
      .update(deletions: [], insertions: [], modifications: ["b"]))
    try realm.write {
      shelf.scores["z"] = nil
      shelf.scores["z"] = 6
    }
    await expectEqual(
      toldOfMaps.wait(for: 4).last,
      .update(deletions: [], insertions: [], modifications: ["z"]))
    try realm.write { shelf.scores = Map() }
    await expectEqual(
      toldOfMaps.wait(for: 5).last,
      .update(deletions: ["a", "b", "f", "z"], insertions: [], modifications: []))
    token.invalidate()
  }

  @Test func objectsInMapsAreObserved() async throws {
    let (realm, shelf) = try await open()
    let all = shelf.pets.observe { [toldOfMaps] in toldOfMaps.add(ToldMapChange($0)) }
    let names = Recorder<ToldMapChange>()
    let some = shelf.pets.observe(keyPaths: [\Dog.name]) { names.add(ToldMapChange($0)) }
    _ = await (toldOfMaps.wait(for: 1), names.wait(for: 1))
    try await writeElsewhere(file.configuration) { realm in
      realm.objects(Shelf.self).first?.pets["b"]??.age = 7
    }
    await expectEqual(
      toldOfMaps.wait(for: 2).last,
      .update(deletions: [], insertions: [], modifications: ["b"]))
    try realm.write { realm.delete(realm.objects(Dog.self).where { $0.age == 5 }) }
    await expectEqual(
      toldOfMaps.wait(for: 3).last,
      .update(deletions: [], insertions: [], modifications: ["a"]))
    await expectEqual(names.wait(for: 2).count, 2)
    all.invalidate()
    some.invalidate()
  }

  @Test func theEndOfTheParentIsTheLastChangeOfAMap() async throws {
    let (_, shelf) = try await open()
    let map = shelf.scores
    let token = map.observe { [toldOfMaps] in toldOfMaps.add(ToldMapChange($0)) }
    _ = await toldOfMaps.wait(for: 1)
    try await writeElsewhere(file.configuration) { realm in
      realm.delete(realm.objects(Shelf.self))
    }
    await expectEqual(
      toldOfMaps.wait(for: 2).last,
      .update(deletions: ["b", "d", "f"], insertions: [], modifications: []))
    expectTrue(map.isInvalidated)
    expectFalse(token.invalidate())
  }

  @Test func resultsOfSetsAndMapsAreObserved() async throws {
    let (realm, shelf) = try await open()
    let old = shelf.dogs.where { $0.age > 0 }.observe { [told] in told.add(ToldChange($0)) }
    let pets = Recorder<ToldChange>()
    let sorted = shelf.pets.sorted(byKeyPath: "age").observe { pets.add(ToldChange($0)) }
    await expectEqual(told.wait(for: 1), [.initial(count: 2)])
    await expectEqual(pets.wait(for: 1), [.initial(count: 2)])
    try realm.write {
      shelf.dogs.insert(Dog(value: ["age": 9]))
      shelf.pets["c"] = Dog(value: ["age": 1])
    }
    await expectEqual(
      told.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [2], modifications: []))
    await expectEqual(
      pets.wait(for: 2).last,
      .update(count: 3, deletions: [], insertions: [0], modifications: []))
    old.invalidate()
    sorted.invalidate()
  }

  @Test func changesOfMapsAreASequence() async throws {
    let (realm, shelf) = try await open()
    var changes = shelf.scores.changes().makeAsyncIterator()
    let first = await changes.next().map { ToldMapChange($0) }
    expectEqual(first, .initial(keys: ["b", "d", "f"]))
    try realm.write { shelf.scores["a"] = 1 }
    try realm.write { shelf.scores["b"] = nil }
    let second = await changes.next().map { ToldMapChange($0) }
    expectEqual(second, .update(deletions: ["b"], insertions: ["a"], modifications: []))
    try realm.write { realm.delete(shelf) }
    let last = await changes.next().map { ToldMapChange($0) }
    expectEqual(last, .update(deletions: ["a", "d", "f"], insertions: [], modifications: []))
    let end = await changes.next().map { ToldMapChange($0) }
    expectEqual(end, nil)
  }

  @Test func mapsAreObservedOnQueues() async throws {
    let (realm, shelf) = try await open()
    let queue = DispatchQueue(label: "observers of maps")
    let token = shelf.scores.observe(on: queue) { [toldOfMaps] change in
      dispatchPrecondition(condition: .onQueue(queue))
      toldOfMaps.add(ToldMapChange(change))
    }
    await expectEqual(toldOfMaps.wait(for: 1), [.initial(keys: ["b", "d", "f"])])
    try realm.write {
      shelf.scores["b"] = nil
      shelf.scores["d"] = 7
      shelf.scores["new"] = 1
    }
    await expectEqual(
      toldOfMaps.wait(for: 2).last,
      .update(deletions: ["b"], insertions: ["new"], modifications: ["d"]))
    expectTrue(token.invalidate())
    try realm.write { shelf.scores["late"] = 1 }
    await expectEqual(toldOfMaps.settled().count, 2)
  }

  actor Observer {}

  @Test func mapsAreObservedOnActors() async throws {
    let (realm, shelf) = try await open()
    let toldOfMaps = toldOfMaps
    let observer = Observer()
    let token = await shelf.scores.observe(on: observer) { _, change in
      toldOfMaps.add(ToldMapChange(change))
    }
    _ = await toldOfMaps.wait(for: 1)
    try realm.write { shelf.scores["new"] = 1 }
    await expectEqual(
      toldOfMaps.wait(for: 2).last,
      .update(deletions: [], insertions: ["new"], modifications: []))
    token.invalidate()
  }
}
