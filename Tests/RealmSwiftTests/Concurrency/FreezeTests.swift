// SPDX-License-Identifier: Apache-2.0

// What is frozen keeps its version, can be read anywhere, and finds back to what is live.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct FreezeTests {
  /// A realm with Ann, who has the dogs Rex and Tim, of whom Rex is the best.
  private func fill(_ files: TemporaryRealm) throws -> (realm: Realm, ann: Person) {
    let realm = try files.open()
    let ann = try realm.write {
      let dogs = ["Rex", "Tim"].map { Dog(value: ["name": $0, "age": 3]) }
      return realm.create(
        Person.self,
        value: ["id": 1, "name": "Ann", "dogs": dogs, "best": dogs[0], "nicknames": ["A", "N"]])
    }
    return (realm, ann)
  }

  @Test func frozenThingsKeepTheirVersion() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    let frozenRealm = realm.freeze()
    let frozenAnn = ann.freeze()
    let dogs = ann.dogs.freeze()
    let people = realm.objects(Person.self).where { $0.age > 17 }.freeze()
    let owners = ann.dogs[0].owners.freeze()
    try realm.write {
      ann.name = "Anna"
      ann.dogs.removeLast()
      ann.best = nil
      ann.nicknames.append("new")
      realm.create(Person.self, value: ["id": 2, "name": "Bob", "dogs": [ann.dogs[0]]])
    }
    expectEqual(frozenAnn.name, "Ann")
    expectEqual(frozenAnn.best?.name, "Rex")
    expectEqual(Array(frozenAnn.nicknames), ["A", "N"])
    expectEqual(dogs.map(\.name), ["Rex", "Tim"])
    expectEqual(people.count, 1)
    expectEqual(people.map(\.name), ["Ann"])
    expectEqual(owners.map(\.name), ["Ann"])
    expectEqual(frozenRealm.objects(Person.self).count, 1)
    expectEqual(frozenRealm.object(ofType: Person.self, forPrimaryKey: 2), nil)
    expectEqual(ann.name, "Anna")
    expectEqual(realm.objects(Person.self).count, 2)
  }

  @Test func whatIsReadFromFrozenThingsIsFrozen() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    expectFalse(realm.isFrozen)
    expectFalse(ann.isFrozen)
    expectFalse(ann.dogs.isFrozen)
    expectFalse(realm.objects(Person.self).isFrozen)
    expectFalse(ann.dogs[0].owners.isFrozen)
    let frozen = realm.freeze()
    let people = frozen.objects(Person.self)
    let person = try #require(people.first)
    expectTrue(frozen.isFrozen)
    expectTrue(people.isFrozen)
    expectTrue(person.isFrozen)
    expectEqual(person.realm?.isFrozen, true)
    expectEqual(people.realm, frozen)
    expectEqual(person.best?.isFrozen, true)
    expectTrue(person.dogs.isFrozen)
    expectTrue(person.dogs[0].isFrozen)
    expectTrue(person.dogs[0].owners.isFrozen)
    expectTrue(person.dogs[0].owners[0].isFrozen)
    #expect(person.dogs.where { $0.name == "Rex" }.isFrozen)
    expectTrue(people.sorted(byKeyPath: "name").isFrozen)
    #expect(people.allSatisfy { $0.isFrozen })
    expectTrue(frozen.freeze(ann).isFrozen)
    expectTrue(frozen.freeze(ann.dogs).isFrozen)
  }

  @Test func freezingAndThawingTwiceChangesNothing() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    let frozen = ann.freeze()
    expectTrue(frozen.freeze() === frozen)
    expectTrue(ann.thaw() === ann)
    expectEqual(realm.thaw(), realm)
    expectEqual(realm.freeze().freeze(), realm.freeze())
    let list = ann.dogs.freeze()
    expectTrue(list.freeze() === list)
    let results = realm.objects(Dog.self)
    expectEqual(results.thaw(), results)
    expectTrue(results.freeze().freeze().isFrozen)
  }

  /// `RealmCore` 1.
  @Test func oneVersionHasOneFrozenRealm() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    let first = realm.freeze()
    let configuration = files.configuration
    let other = try onAnotherThread { Everywhere(try Realm(configuration: configuration).freeze()) }
    expectEqual(other.value, first)
    expectEqual(ann.freeze().realm, first)
    try realm.write { ann.age += 1 }
    expectTrue(realm.freeze() != first)
  }

  /// `ClassLayout` 2.
  @Test func frozenClassesShareWhatDoesNotDependOnTheVersion() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    let (first, layout) = (realm.freeze(), realm.core.classes[Person.self].layout)
    try realm.write { ann.age += 1 }
    for frozen in [first, realm.freeze()] {
      let info = frozen.core.classes[Person.self]
      expectTrue(info.layout === layout)
      expectTrue(info.core === frozen.core)
    }
  }

  @Test func frozenObjectsAreEqualIfTheyAreTheSameRowOfTheSameVersion() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    // Dogs have no primary key: live ones are equal only if they are identical.
    let (rex, tim) = (ann.dogs[0].freeze(), ann.dogs[1].freeze())
    let again = ann.dogs[0].freeze()
    expectTrue(ann.dogs[0] != ann.dogs[0])
    expectTrue(rex !== again)
    expectEqual(rex, again)
    expectEqual(rex.hashValue, again.hashValue)
    expectTrue(rex != tim)
    expectTrue(rex.isSameObject(as: again))
    expectFalse(rex.isSameObject(as: ann.dogs[0]))
    expectEqual(Set([rex, tim, again]).count, 2)
    let frozenAnn = ann.freeze()
    try realm.write { ann.age += 1 }
    expectTrue(rex != ann.dogs[0].freeze())
    expectTrue(frozenAnn != ann.freeze())
    expectTrue(frozenAnn != ann)
    expectEqual(ann.freeze(), ann.freeze())
  }

  @Test func thawingFindsTheLiveObjectUnlessItIsGone() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    let frozen = ann.freeze()
    let list = frozen.dogs
    let owners = frozen.dogs[0].owners
    let people = realm.objects(Person.self).where { $0.name == "Ann" }.freeze()
    let live = try #require(frozen.thaw())
    expectFalse(live.isFrozen)
    expectEqual(live.realm, realm)
    expectEqual(live, ann)
    try realm.write {
      live.name = "Anna"
      // Both sides are thawed.
      try #require(list.thaw()).append(try #require(list[1].thaw()))
    }
    expectEqual(ann.name, "Anna")
    expectEqual(ann.dogs.count, 3)
    expectEqual(list.count, 2)
    expectEqual(owners.thaw()?.count, 1)
    expectEqual(people.thaw()?.count, 0)
    expectEqual(people.count, 1)
    try realm.write { realm.deleteAll() }
    expectTrue(frozen.thaw() == nil)
    expectTrue(list.thaw() == nil)
    expectTrue(owners.thaw() == nil)
    expectEqual(frozen.name, "Ann")
    expectEqual(list.map(\.name), ["Rex", "Tim"])
    expectTrue(realm.thaw(frozen) == nil)
    expectEqual(realm.thaw(people)?.count, 0)
  }

  @Test func thawingOnAThreadGivesItsRealmAtTheVersionItShows() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    let configuration = files.configuration
    let (ready, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var frozen: Person?
    nonisolated(unsafe) var newcomer: Person?
    nonisolated(unsafe) var seen: [String] = []
    Thread {
      let own = try! Realm(configuration: configuration)
      let before = own.objects(Person.self).first?.name ?? ""
      ready.signal()
      go.wait()
      let thawed = frozen?.thaw()
      seen = [before, thawed?.name ?? "", thawed?.realm == own ? "own" : "another"]
      seen.append(newcomer?.thaw() == nil ? "not there" : "there")
      own.refresh()
      seen += [thawed?.name ?? "", newcomer?.thaw()?.name ?? ""]
      try! own.write { thawed?.age = 50 }
      done.signal()
    }.start()
    ready.wait()
    try realm.write {
      ann.name = "Anna"
      realm.create(Person.self, value: ["id": 77, "name": "Eve"])
    }
    frozen = ann.freeze()
    newcomer = realm.object(ofType: Person.self, forPrimaryKey: 77)?.freeze()
    go.signal()
    done.wait()
    expectEqual(seen, ["Ann", "Ann", "own", "not there", "Anna", "Eve"])
    realm.refresh()
    expectEqual(ann.age, 50)
  }

  /// `SessionState` 1: an object keeps the session whose state it reads.
  /// `ClassLayout` 2.
  @Test func aFrozenRealmOutlivesTheLiveOne() throws {
    let files = try TemporaryRealm()
    let frozen = try { try fill(files).realm.freeze() }()
    expectEqual(frozen.objects(Person.self).first?.dogs.first?.name, "Rex")
    let person = try #require(frozen.objects(Person.self).first)
    #expect(try Realm.deleteFilesIsRefused(files.configuration))
    expectEqual(person.thaw()?.name, "Ann")
  }

  @Test func inATransactionTheStateBeforeIsFrozen() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    try realm.write {
      ann.name = "Anna"
      ann.dogs.removeAll()
      expectEqual(ann.freeze().name, "Ann")
      expectEqual(ann.dogs.freeze().count, 2)
      expectEqual(realm.freeze().objects(Person.self)[0].name, "Ann")
      expectEqual(ann.freeze().thaw()?.name, "Anna")
    }
  }

  @Test func aFrozenRealmHasNoTransactionAndDoesNotRefresh() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    let frozen = realm.freeze()
    try realm.write { ann.name = "Anna" }
    expectFalse(frozen.refresh())
    expectFalse(frozen.isInWriteTransaction)
    expectFalse(frozen.autorefresh)
    frozen.autorefresh = false
    expectEqual(frozen.objects(Person.self).first?.name, "Ann")
  }

  @Test func aReadOnlyRealmCanBeFrozen() throws {
    let files = try TemporaryRealm()
    _ = try { try fill(files).realm.isEmpty }()
    var configuration = files.configuration
    configuration.readOnly = true
    let frozen = try Realm(configuration: configuration).freeze()
    expectEqual(frozen.objects(Person.self).first?.name, "Ann")
  }

  @Test func unmanagedThingsAreNotFrozen() {
    expectFalse(Person().isFrozen)
    expectFalse(Person().dogs.isFrozen)
    expectFalse(Dog().owners.isFrozen)
    expectEqual(Address().thaw(), nil)
  }

  @Test func invalidatingAFrozenRealmLeavesOthersAlone() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    let frozen = realm.freeze()
    let (person, dogs) = (ann.freeze(), realm.objects(Dog.self).freeze())
    frozen.invalidate()
    expectTrue(person.isInvalidated)
    expectTrue(dogs.isInvalidated)
    expectTrue(person.isFrozen)
    expectEqual(ann.name, "Ann")
    expectTrue(realm.freeze() != frozen)
    expectEqual(ann.freeze().name, "Ann")
  }

  @Test func whatAFrozenVersionKeepsFromReuseCanBeAskedFor() throws {
    let files = try TemporaryRealm()
    let (realm, ann) = try fill(files)
    func overwrite() throws {
      try realm.write { ann.name = String(repeating: "x", count: 10_000) }
    }
    try overwrite()
    var frozen: Realm? = realm.freeze()
    expectEqual(frozen?.pinnedByteCount, 0)
    try overwrite()
    let once = try #require(frozen?.pinnedByteCount)
    expectTrue(once >= 10_000)
    expectEqual(realm.pinnedByteCount, 0)
    frozen = nil
    try overwrite()
    expectEqual(realm.freeze().pinnedByteCount, 0)
  }

  /// `CollectionContents` 2.
  @Test func positionsIteratorsAndSearchesAgreeInAFrozenTable() throws {
    let files = try TemporaryRealm()
    let realm = try files.open()
    try realm.write {
      for id in 0..<600 { realm.create(Person.self, value: ["id": id, "name": "P\(id % 7)"]) }
    }
    let frozen = realm.objects(Person.self).freeze()
    let byIterator = frozen.map(\.id) as [Int]
    let byPosition = (0..<frozen.count).map { frozen[$0].id }
    expectEqual(byIterator, byPosition)
    expectEqual(byPosition, realm.objects(Person.self).map(\.id))
    expectEqual(frozen.first?.id, byIterator.first)
    expectEqual(frozen.last?.id, byIterator.last)
    let few = frozen.where { $0.name == "P3" }
    expectEqual(few.count, byIterator.count { $0 % 7 == 3 })
    expectEqual(few.first?.id, few[0].id)
    expectEqual(few.index(of: few[5]), 5)
    expectEqual(few.sum(of: \.id), byIterator.filter { $0 % 7 == 3 }.reduce(0, +))
    try realm.write { realm.deleteAll() }
    expectEqual(frozen.where { $0.name == "P3" }.count, few.count)
  }
}

/// An embedded class for the one rule that is its own.
private class Address: EmbeddedObject {
  @Persisted var street: String
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension Realm {
  /// Whether the file is protected because something of it is in use.
  fileprivate static func deleteFilesIsRefused(_ configuration: Configuration) throws -> Bool {
    do {
      _ = try deleteFiles(for: configuration)
      return false
    } catch Realm.Error.alreadyOpen { return true }
  }
}
