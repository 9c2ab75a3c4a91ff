// SPDX-License-Identifier: Apache-2.0

// `@ThreadSafe` variables and parameters give each reader what is its own.

import Dispatch
import Foundation
import RealmStorage
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct ThreadSafeTests {
  private func makeAnn(_ files: TemporaryRealm) throws -> Person {
    let realm = try files.open()
    return try realm.write {
      realm.create(Person.self, value: ["id": 1, "name": "Ann", "dogs": [["name": "Rex"]]])
    }
  }

  @Test func aVariableHoldsAnObjectOnAnyThread() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    @ThreadSafe var reference = ann
    expectEqual(reference?.name, "Ann")
    expectEqual(reference?.realm, ann.realm)
    let configuration = files.configuration
    try onAnotherThread { [_reference] in
      let realm = try Realm(configuration: configuration)
      try realm.write {
        // Found in the transaction that is open on this thread.
        let person = try #require(_reference.wrappedValue)
        expectEqual(person.realm, realm)
        expectFalse(person.isFrozen)
        person.name = "Anna"
      }
    }
    // What another thread has seen is seen here, too.
    expectEqual(ann.name, "Ann")
    expectEqual(reference?.name, "Anna")
    expectEqual(ann.name, "Anna")
  }

  @Test func theObjectIsNilOnceItIsDeleted() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    @ThreadSafe var reference = ann
    try ann.realm?.write { ann.realm?.delete(ann) }
    expectEqual(reference, nil)
    let isGone = try onAnotherThread { [_reference] in _reference.wrappedValue == nil }
    expectTrue(isGone)
  }

  @Test func theVariableCanBeSetAndEmptied() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    @ThreadSafe var reference: Person?
    expectEqual(reference, nil)
    reference = ann
    expectEqual(reference?.name, "Ann")
    reference = nil
    expectEqual(reference, nil)
  }

  @Test func collectionsCanBeHeld() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let dogs = ThreadSafe(wrappedValue: ann.dogs)
    let people = ThreadSafe(wrappedValue: ann.realm?.objects(Person.self).where { $0.age > 3 })
    let owners = ThreadSafe(wrappedValue: ann.dogs[0].owners)
    let seen = try onAnotherThread {
      [
        dogs.wrappedValue?.first?.name, people.wrappedValue?.first?.name,
        owners.wrappedValue?.first?.name,
      ]
    }
    expectEqual(seen, ["Rex", "Ann", "Ann"])
  }

  @Test func somethingFrozenIsLiveWhenItIsRead() throws {
    let files = try TemporaryRealm()
    let ann = try makeAnn(files)
    let reference = ThreadSafe(wrappedValue: ann.freeze())
    try ann.realm?.write { ann.name = "Anna" }
    expectEqual(reference.wrappedValue?.isFrozen, false)
    expectEqual(reference.wrappedValue?.name, "Anna")
  }

  @Test func anObjectOfTheOpenTransactionIsFoundAfterTheCommit() throws {
    let files = try TemporaryRealm()
    let realm = try files.open()
    let configuration = files.configuration
    let (opened, committed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let reference = ThreadSafe<Person>(wrappedValue: nil)
    nonisolated(unsafe) var name: String?
    let done = DispatchSemaphore(value: 0)
    Thread {
      // Shows a version in which the object does not exist yet.
      let own = try? Realm(configuration: configuration)
      _ = own?.isEmpty
      opened.signal()
      committed.wait()
      name = reference.wrappedValue?.name
      done.signal()
    }.start()
    opened.wait()
    try realm.write {
      reference.wrappedValue = realm.create(Person.self, value: ["id": 7, "name": "Eve"])
      expectEqual(reference.wrappedValue?.name, "Eve")
    }
    committed.signal()
    done.wait()
    expectEqual(name, "Eve")
  }

  @Test func itKeepsTheDataButNoVersion() throws {
    let configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Person.self, Dog.self])
    let reference = try { () -> ThreadSafe<Person> in
      let realm = try Realm(configuration: configuration)
      let ann = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
      let reference = ThreadSafe(wrappedValue: ann)
      try realm.write { ann.age = 3 }
      let pinned = realm.core.file.pinnedVersions
      expectEqual(pinned, [realm.core.file.newestVersion])
      return reference
    }()
    // No realm is left that would keep the data in memory.
    expectEqual(reference.wrappedValue?.name, "Ann")
  }

  @Test func aQueuesRealmIsFound() async throws {
    let files = try TemporaryRealm()
    let reference = ThreadSafe(wrappedValue: try makeAnn(files))
    let configuration = files.configuration
    let queue = DispatchQueue(label: "own")
    let isFound = try await withCheckedThrowingContinuation { continuation in
      queue.async {
        continuation.resume(
          with: Result {
            let realm = try Realm(configuration: configuration, queue: queue)
            return try realm.write { reference.wrappedValue?.realm == realm }
          })
      }
    }
    expectTrue(isFound)
  }

  @Test func anActorsRealmIsFound() async throws {
    let files = try TemporaryRealm()
    let reference = ThreadSafe(wrappedValue: try makeAnn(files))
    let keeper = try await Keeper(files.configuration)
    try await expectEqual(keeper.rename(person: reference, to: "Anna"), true)
    await expectEqual(keeper.name(of: reference), "Anna")
  }

  @Test @MainActor func aParameterSurvivesSuspension() async throws {
    let files = try TemporaryRealm()
    let realm = try await Realm(configuration: files.configuration)
    let ann = try realm.write { realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
    try await ThreadSafeTests.rename(person: ann, in: files.configuration)
    expectEqual(ann.name, "Janet")
  }

  @MainActor private static func rename(
    @ThreadSafe person: Person?, in configuration: Realm.Configuration
  ) async throws {
    for _ in 0..<5 { await Task.yield() }
    let realm = try await Realm(configuration: configuration)
    try realm.write { person?.name = "Janet" }
  }

  @Test func anUnmanagedObjectCannotBeHeld() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = ThreadSafe(wrappedValue: Person())
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("Only managed objects may be wrapped as thread safe."))
  }
}

private actor Keeper {
  private var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  func rename(person: ThreadSafe<Person>, to name: String) async throws -> Bool {
    await Task.yield()
    let isOwn = person.wrappedValue?.realm == realm
    try await realm.asyncWrite { person.wrappedValue?.name = name }
    return isOwn
  }

  func name(of person: ThreadSafe<Person>) async -> String? {
    let person = person.wrappedValue
    // What it gave belongs to the actor, not to the thread.
    for _ in 0..<10 { await Task.yield() }
    return person?.name
  }
}
