// SPDX-License-Identifier: Apache-2.0

// Files whose last realm has just gone, on whatever thread.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmStorage
@_spi(RealmTesting) @testable import RealmSwift

@Suite(.timeLimit(.minutes(10))) struct ReleasedFileTests {
  @Test func filesCanBeDeletedWhenACallbackHasReturned() async throws {
    for _ in 0..<20 {
      let file = try TemporaryRealm()
      let queue = DispatchQueue(label: "callback")
      let count = await withCheckedContinuation { continuation in
        _ = Realm.asyncOpen(configuration: file.configuration, callbackQueue: queue) { result in
          continuation.resume(returning: (try? result.get().objects(Person.self).count) ?? -1)
        }
      }
      expectEqual(count, 0)
      #expect(try Realm.deleteFiles(for: file.configuration))
    }
  }

  /// A realm elsewhere that goes a little later than the program says.
  private func keepAWhile(_ file: TemporaryRealm) throws {
    try onAnotherThread {
      nonisolated(unsafe) let realm = try file.open()
      Thread {
        usleep(5000)
        withExtendedLifetime(realm) {}
      }.start()
    }
  }

  @Test func deletingWaitsForWhatIsJustBeingReleased() throws {
    let file = try TemporaryRealm()
    try keepAWhile(file)
    #expect(try Realm.deleteFiles(for: file.configuration))
  }

  @Test func openingInAnotherWayWaitsForWhatIsJustBeingReleased() throws {
    let file = try TemporaryRealm()
    try keepAWhile(file)
    file.configuration.readOnly = true
    #expect(try file.open().objects(Person.self).isEmpty)
    try keepAWhile(file)
    file.configuration.readOnly = false
    #expect(try file.open().objects(Person.self).isEmpty)
  }

  @Test func aFileThatIsOpenForReadingOnlyIsOpenedAnewForWriting() throws {
    let file = try TemporaryRealm()
    do { _ = try file.open() }
    let path = try file.path()
    let reading = try DatabaseFile.open(
      path: path, options: OpenOptions(isReadOnly: true, mustExist: true))
    let writing = try DatabaseFile.open(path: path)
    expectTrue(reading !== writing)
    let version = try writing.beginWrite().commit(changeset: []).version
    #expect(try DatabaseFile.open(path: path, options: OpenOptions(isReadOnly: true)) === writing)
    expectEqual(reading.newestVersion, version - 1)
  }

  // MARK: Hooks for tests

  @Test func resettingClosesRealmsInMemoryAndUndoesTransactions() async {
    await #expect(processExitsWith: .success) {
      let configuration = Realm.Configuration(
        inMemoryIdentifier: "reset", objectTypes: [Person.self, Dog.self])
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Person.self, value: ["id": 1]) }
      realm.beginWrite()
      _RealmTesting.resetState()
      precondition(!realm.isInWriteTransaction)
      let other = try Realm(configuration: configuration)
      precondition(other != realm && other.isEmpty && !realm.isEmpty)
      try other.write { other.create(Person.self, value: ["id": 2]) }
      precondition(realm.objects(Person.self).map(\.id) == [1])
    }
  }

  @MainActor @Test func anUncachedRealmIsNobodyElses() throws {
    let file = try TemporaryRealm()
    let cached = try file.open()
    let uncached = try _RealmTesting.openUncached(file.configuration)
    expectTrue(uncached != cached)
    try expectEqual(file.open(), cached)
    try cached.write { cached.create(Person.self, value: ["id": 1]) }
    expectTrue(uncached.isEmpty)
    expectTrue(uncached.refresh())
    expectFalse(uncached.isEmpty)
    try uncached.write { uncached.deleteAll() }
    expectFalse(cached.isEmpty)
    cached.refresh()
    expectTrue(cached.isEmpty)
  }

  // MARK: Asking anywhere

  @MainActor @Test func theRealmOfAnObjectIsKnownEverywhere() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    let ann = try realm.write { realm.create(Person.self, value: ["id": 1]) }
    nonisolated(unsafe) let (object, home) = (ann, realm)
    let seen = try onAnotherThread {
      let own = try file.open()
      return [object.realm == home, object.realm == own, home == own, object.realm != nil]
    }
    expectEqual(seen, [true, false, false, true])
    try realm.write { realm.delete(ann) }
    expectEqual(ann.realm, realm)
  }
}
