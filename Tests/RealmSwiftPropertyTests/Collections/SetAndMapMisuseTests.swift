// SPDX-License-Identifier: Apache-2.0

// Misuse of sets and maps ends with the documented texts.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

struct SetAndMapMisuseTests {
  private static func shelf() throws -> (realm: Realm, shelf: Shelf) {
    let realm = try TemporaryRealm.ofShelves().open()
    return (realm, try realm.write { realm.create(Shelf.self, value: ["id": 1]) })
  }

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func changingASetOutsideATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Self.shelf().shelf.tags.insert("x")
    }
    expect("Cannot modify Set outside of a write transaction.", in: result)
  }

  @Test func changingAMapOutsideATransaction() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Self.shelf().shelf.scores["x"] = 1
    }
    expect("Cannot modify Dictionary outside of a write transaction.", in: result)
  }

  @Test func changingAFrozenMap() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Self.shelf().shelf.scores.freeze()["x"] = 1
    }
    expect("Attempting to modify a frozen object", in: result)
  }

  @Test func usingTheSetOfADeletedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, shelf) = try Self.shelf()
      let tags = shelf.tags
      try realm.write { realm.delete(shelf) }
      _ = tags.count
    }
    expect("Set is no longer valid.", in: result)
  }

  @Test func usingTheMapOfADeletedObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, shelf) = try Self.shelf()
      let scores = shelf.scores
      try realm.write { realm.delete(shelf) }
      _ = scores["a"]
    }
    expect("Dictionary is no longer valid.", in: result)
  }

  @Test func keysThatBeginWithADollarSign() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, shelf) = try Self.shelf()
      try realm.write { shelf.scores["$a"] = 1 }
    }
    expect(
      "The key '$a' of 'Shelf.scores' must not start with '$'. Percent-encode it: '%24a'.",
      in: result)
  }

  @Test func keysWithADot() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, _) = try Self.shelf()
      let other = Shelf(value: ["id": 2, "scores": ["a.b": 1]])
      try realm.write { realm.add(other) }
    }
    expect(
      "The key 'a.b' of 'Shelf.scores' must not contain '.'. Percent-encode it: 'a%2Eb'.",
      in: result)
  }

  @Test func valuesOfAnotherType() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, shelf) = try Self.shelf()
      try realm.write { shelf.scores.setValue("text", forKey: "a") }
    }
    expect("does not match RLMDictionary value type 'int'.", in: result)
  }

  @Test func setsOfDifferentRealms() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, shelf) = try Self.shelf()
      let other = try Self.shelf().shelf
      try realm.write { shelf.tags.formUnion(other.tags) }
    }
    expect("Cannot insersect sets managed by different Realms.", in: result)
  }

  @Test func positionsInASet() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.shelf().shelf.tags.index(of: "a")
    }
    expect("index(of:) is not available on MutableSet", in: result)
  }

  @Test func filteringAnUnmanagedSetAndMap() async {
    let first = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Shelf().dogs.where { $0.age == 1 }
    }
    expect("This method may only be called on MutableSet instances retrieved", in: first)
    let second = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Shelf().pets.where { $0.age == 1 }
    }
    expect("This method may only be called on Map instances retrieved", in: second)
  }

  class WrongSet: Object {
    @Persisted var places: MutableSet<Spot>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class WrongMap: Object {
    @Persisted var dogs: Map<String, Dog>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func collectionsThatCannotBe() throws {
    for (type, text) in [
      (WrongSet.self as ObjectBase.Type, "cannot contain embedded object type 'Spot'"),
      (WrongMap.self, "must be nullable"),
    ] {
      let file = try TemporaryRealm([type, Spot.self, Dog.self, Person.self])
      let error = #expect(throws: Realm.Error.self) { try file.open() }
      expectEqual(error.map { "\($0)" }?.contains(text), true)
    }
  }
}
