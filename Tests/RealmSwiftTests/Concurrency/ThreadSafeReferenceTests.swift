// SPDX-License-Identifier: Apache-2.0

// Thread safe references: every confined type, once, and not a version too early.

import Dispatch
import Foundation
import RealmStorage
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct ThreadSafeReferenceTests {
  private func makeAnn(_ files: TemporaryRealm) throws -> Person {
    let realm = try files.open()
    return try realm.write {
      realm.create(
        Person.self,
        value: ["id": 1, "name": "Ann", "dogs": [["name": "Rex"]], "nicknames": ["b", "a"]])
    }
  }

  @Test func everyConfinedTypeCanBeHandedOver() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let realm = try #require(ann.realm)
    let person = ThreadSafeReference(to: ann)
    let list = ThreadSafeReference(to: ann.dogs)
    let values = ThreadSafeReference(to: ann.nicknames)
    let results = ThreadSafeReference(to: realm.objects(Person.self).where { $0.name == "Ann" })
    let sorted = ThreadSafeReference(to: ann.nicknames.sorted())
    let owners = ThreadSafeReference(to: ann.dogs[0].owners)
    let configuration = files.configuration
    let seen = try onAnotherThread {
      let realm = try Realm(configuration: configuration)
      return [
        realm.resolve(person)?.name, realm.resolve(list)?.first?.name,
        realm.resolve(values)?.first, realm.resolve(results)?.first?.name,
        realm.resolve(sorted)?.first, realm.resolve(owners)?.first?.name,
      ]
    }
    expectEqual(seen, ["Ann", "Rex", "b", "Ann", "a", "Ann"])
    expectTrue(person.isInvalidated)
    expectTrue(owners.isInvalidated)
  }

  @Test func anEmbeddedObjectCanBeHandedOver() throws {
    let files = try TemporaryRealm([House.self, Room.self])
    let realm = try files.open()
    let house = try realm.write { realm.create(House.self, value: ["room": ["area": 20]]) }
    let reference = ThreadSafeReference(to: try #require(house.room))
    let frozen = Everywhere(house.room?.freeze())
    let configuration = files.configuration
    let areas = try onAnotherThread {
      let realm = try Realm(configuration: configuration)
      return [realm.resolve(reference)?.area, frozen.value?.area, frozen.value?.thaw()?.area]
    }
    expectEqual(areas, [20, 20, 20])
  }

  @Test func aReferencePinsItsVersionUntilItIsResolved() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let realm = try #require(ann.realm)
    let file = realm.core.file
    let version = file.newestVersion
    let reference = ThreadSafeReference(to: ann)
    var dropped: ThreadSafeReference<Person>? = ThreadSafeReference(to: ann)
    try realm.write { ann.age = 1 }
    expectTrue(file.pinnedVersions.contains(version))
    expectFalse(reference.isInvalidated)
    expectEqual(realm.resolve(reference)?.age, 1)
    expectTrue(reference.isInvalidated)
    expectTrue(file.pinnedVersions.contains(version))
    dropped = nil
    expectTrue(dropped == nil)
    expectFalse(file.pinnedVersions.contains(version))
  }

  @Test func aReferenceIsResolvedInsideAWriteAndMovesARealmOnOutsideOfOne() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let configuration = files.configuration
    let (opened, made) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var references: [ThreadSafeReference<Person>] = []
    nonisolated(unsafe) var seen: [String?] = []
    Thread {
      let realm = try! Realm(configuration: configuration)
      seen.append(realm.objects(Person.self).first?.name)
      opened.signal()
      made.wait()
      seen.append(realm.resolve(references[0])?.name)
      try! realm.write { seen.append(realm.resolve(references[1])?.name) }
      seen.append(realm.resolve(references[2])?.name)
      done.signal()
    }.start()
    opened.wait()
    try ann.realm?.write {
      ann.name = "Anna"
      // Shows in no version that exists yet.
      let eve = ann.realm?.create(Person.self, value: ["id": 2, "name": "Eve"])
      references.append(ThreadSafeReference(to: try #require(eve)))
    }
    references += [ThreadSafeReference(to: ann), ThreadSafeReference(to: ann)]
    made.signal()
    done.wait()
    expectEqual(seen, ["Ann", "Eve", "Anna", "Anna"])
  }

  @Test func aRealmThatHasReadNothingStartsAtTheVersionOfTheReference() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let realm = try #require(ann.realm)
    let references = [ThreadSafeReference(to: ann), ThreadSafeReference(to: ann)]
    let third = ThreadSafeReference(to: ann)
    try realm.write { realm.delete(ann) }
    let configuration = files.configuration
    let seen = try onAnotherThread {
      let realm = try Realm(configuration: configuration)
      let person = realm.resolve(references[0])
      var seen = [person?.name, realm.resolve(references[1])?.name]
      realm.refresh()
      seen.append(person?.isInvalidated == true ? "gone" : "there")
      realm.invalidate()
      seen.append(realm.resolve(third)?.name)
      return seen
    }
    expectEqual(seen, ["Ann", "Ann", "gone", "Ann"])
    // A realm that has read is not moved back.
    try realm.write { realm.create(Person.self, value: ["id": 2, "name": "Eve"]) }
    let eve = try #require(realm.object(ofType: Person.self, forPrimaryKey: 2))
    let late = ThreadSafeReference(to: eve)
    try realm.write { realm.delete(eve) }
    let isGone = try onAnotherThread {
      let realm = try Realm(configuration: configuration)
      _ = realm.objects(Person.self).count
      return realm.resolve(late) == nil
    }
    expectTrue(isGone)
  }

  @Test func aReferenceOfAnOpenTransactionIsNilInAnotherFile() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let other = try TemporaryRealm().open()
    let reference = try ann.realm?.write { ThreadSafeReference(to: ann) }
    expectEqual(other.resolve(try #require(reference)), nil)
    expectEqual(reference?.isInvalidated, true)
  }

  @Test func aDeletedObjectResolvesToNil() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let realm = try #require(ann.realm)
    let (person, dogs) = (ThreadSafeReference(to: ann), ThreadSafeReference(to: ann.dogs))
    try realm.write { realm.delete(ann) }
    expectTrue(realm.resolve(person) == nil)
    expectTrue(realm.resolve(dogs) == nil)
  }

  @Test func somethingFrozenResolvesToWhatIsLive() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let realm = try #require(ann.realm)
    let reference = ThreadSafeReference(to: ann.freeze())
    try realm.write { ann.name = "Anna" }
    let resolved = realm.resolve(reference)
    expectEqual(resolved?.name, "Anna")
    expectEqual(resolved?.isFrozen, false)
  }

  // MARK: - Misuse

  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  @Test func aReferenceResolvesOnce() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, ann) = try realmWithAnn()
      let reference = ThreadSafeReference(to: ann)
      _ = realm.resolve(reference)
      _ = realm.resolve(reference)
    }
    expect("Can only resolve a thread safe reference once.", in: result)
  }

  @Test func unmanagedObjectsNeedNoReference() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ThreadSafeReference(to: Person())
    }
    expect(
      "Cannot construct reference to unmanaged object, which can be passed across threads "
        + "directly", in: result)
  }

  @Test func deletedObjectsCannotBeReferredTo() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, ann) = try realmWithAnn()
      try realm.write { realm.delete(ann) }
      _ = ThreadSafeReference(to: ann)
    }
    expect("Cannot construct reference to invalidated object", in: result)
  }

  @Test func resultsOfAListThatTheTransactionCreatedCannotBeReferredTo() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (realm, _) = try realmWithAnn()
      try realm.write {
        let eve = realm.create(Person.self, value: ["id": 2, "dogs": [["name": "Tim"]]])
        _ = ThreadSafeReference(to: eve.dogs.where { $0.name == "Tim" })
      }
    }
    expect(
      "Cannot create a ThreadSafeReference to Results backed by a collection of objects inside the "
        + "write transaction which created the collection.", in: result)
  }

  @Test func aReferenceBelongsToItsFile() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (first, second) = (try realmWithAnn(), try realmWithAnn())
      _ = first.realm.resolve(ThreadSafeReference(to: second.ann))
    }
    expect("Cannot resolve a thread safe reference in a Realm of another file", in: result)
  }
}

private class House: Object {
  @Persisted var room: Room?
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private class Room: EmbeddedObject {
  @Persisted var area: Int
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A realm in memory with Ann.
private func realmWithAnn() throws -> (realm: Realm, ann: Person) {
  let realm = try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self]))
  return (realm, try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ann"]) })
}
