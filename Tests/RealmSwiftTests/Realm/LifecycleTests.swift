// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RealmStorage
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

struct LifecycleTests {
  @Test func oneInstanceForEachThreadAndFile() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    try expectEqual(file.open(), realm)
    #expect(try TemporaryRealm().open() != realm)
    nonisolated(unsafe) var other: Realm?
    let isOpen = DispatchSemaphore(value: 0)
    Thread {
      other = try? file.open()
      isOpen.signal()
    }.start()
    isOpen.wait()
    expectTrue(other != nil)
    expectTrue(other != realm)
  }

  /// `Session` 3.
  @Test func anotherThreadsChangesAreSeenAfterRefresh() throws {
    let file = try TemporaryRealm()
    let realm = try file.open()
    let all = realm.objects(Person.self)
    expectTrue(all.isEmpty)
    let thread = Thread {
      guard let realm = try? file.open() else { return }
      try? realm.write { _ = realm.create(Person.self, value: ["id": 1, "name": "Ann"]) }
    }
    thread.start()
    while !thread.isFinished { usleep(1000) }
    expectTrue(all.isEmpty)
    expectTrue(realm.refresh())
    expectFalse(realm.refresh())
    expectEqual(all.count, 1)
    expectEqual(all[0].name, "Ann")
  }

  @Test func invalidateDropsObjectsAndReadsAnew() throws {
    let realm = try TemporaryRealm().open()
    let person = try realm.write { realm.create(Person.self, value: ["id": 1]) }
    let all = realm.objects(Person.self)
    let names = person.nicknames
    expectEqual(all.count, 1)
    realm.invalidate()
    expectTrue(person.isInvalidated)
    expectTrue(names.isInvalidated)
    expectTrue(all.isInvalidated)
    expectEqual(all.count, 0)
    expectEqual(realm.objects(Person.self).count, 1)
    expectEqual(realm.object(ofType: Person.self, forPrimaryKey: 1)?.isInvalidated, false)
  }

  @Test func realmsInMemoryShareByNameAndLeaveNothing() throws {
    let name = UUID().uuidString
    let configuration = Realm.Configuration(
      inMemoryIdentifier: name, objectTypes: [Person.self, Dog.self])
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write { _ = realm.create(Person.self, value: ["id": 1]) }
      try expectEqual(Realm(configuration: configuration).objects(Person.self).count, 1)
      expectEqual(configuration.fileURL, nil)
    }
    #expect(try Realm(configuration: configuration).isEmpty)
  }

  @Test func filesAreDeletedOnlyWhenClosed() throws {
    let file = try TemporaryRealm()
    expectFalse(Realm.fileExists(for: file.configuration))
    do {
      let realm = try file.open()
      expectTrue(Realm.fileExists(for: file.configuration))
      let error = #expect(throws: Realm.Error.self) {
        try Realm.deleteFiles(for: realm.configuration)
      }
      expectEqual(error?.code, .alreadyOpen)
    }
    #expect(try Realm.deleteFiles(for: file.configuration))
    try expectEqual(Realm.deleteFiles(for: file.configuration), false)
  }

  /// A thread that looks at a realm, such as one that opens the file itself, keeps it for a moment
  /// longer than the program does.
  @Test(arguments: [false, true]) func aRealmThatAnotherThreadLooksAtIsClosedSoon(
    reopens: Bool
  ) throws {
    final class Onlooker: @unchecked Sendable {
      // Sendable: used by the other thread alone once that has started.
      var core: RealmCore?
    }
    let file = try TemporaryRealm()
    let onlooker = Onlooker()
    do { onlooker.core = try file.open().core }
    let thread = Thread {
      usleep(20_000)
      onlooker.core = nil
    }
    thread.start()
    if reopens {
      file.configuration.readOnly = true
      #expect(try file.open().isEmpty)
    } else {
      #expect(try Realm.deleteFiles(for: file.configuration))
    }
  }

  @Test func configurationsKnowFilesOrMemory() {
    var configuration = Realm.Configuration()
    expectEqual(configuration.fileURL?.lastPathComponent, "default.realm")
    configuration.inMemoryIdentifier = "x"
    expectEqual(configuration.fileURL, nil)
    configuration.fileURL = URL(fileURLWithPath: "/tmp/a.realm")
    expectEqual(configuration.inMemoryIdentifier, nil)
    configuration.fileURL?.deleteLastPathComponent()
    configuration.fileURL?.appendPathComponent("b.realm")
    expectEqual(configuration.fileURL?.path, "/tmp/b.realm")
    expectEqual(configuration, Realm.Configuration(fileURL: URL(fileURLWithPath: "/tmp/b.realm")))
  }

  @Test func aRealmOnAQueueBelongsToTheQueue() throws {
    let file = try TemporaryRealm()
    let queue = DispatchQueue(label: "realm")
    let count = try queue.sync {
      let realm = try Realm(configuration: file.configuration, queue: queue)
      try realm.write { _ = realm.create(Person.self, value: ["id": 1]) }
      return realm.objects(Person.self).count
    }
    expectEqual(count, 1)
  }

  @Test func aPackageThatNobodyNeedsKeepsNoVersion() throws {
    let file = try TemporaryRealm()
    let queue = DispatchQueue(label: "realm under test")
    let writer = try file.open()
    try queue.sync {
      let realm = try Realm(configuration: file.configuration, queue: queue)
      expectTrue(realm.isEmpty)
      let hub = try #require(realm.core.observers).hub
      // The queue is busy with us, so what the worker hands over waits.
      try writer.write { writer.add(Dog()) }
      _RealmTesting.runAsyncNotifiers(atPath: realm.core.file.path)
      let newest = try realm.core.shared.newestTables()
      hub.show(newest)
      expectTrue(hub.takeBatch() == nil)
    }
  }
}
