// SPDX-License-Identifier: Apache-2.0

// The rules of notifications that are easy to get wrong, one by one.

import Foundation
import RealmStorage
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

/// A model whose property has another name in the file.
class RenamedNote: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var text: String
  @Persisted var mark: Int

  override class func propertiesMapping() -> [String: String] { ["text": "body"] }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct NotificationRulesTests {
  private let configuration = freshConfiguration()
  private let told = Recorder<ToldChange>()

  private func open() async throws -> (Realm, Results<AsyncTask>) {
    let realm = try await Realm(configuration: configuration)
    try realm.write { addTasks(0..<3, to: realm) }
    return (realm, realm.objects(AsyncTask.self))
  }

  private func update(
    _ count: Int, _ deletions: [Int] = [], _ insertions: [Int] = [], _ modifications: [Int] = []
  ) -> ToldChange {
    .update(
      count: count, deletions: deletions, insertions: insertions, modifications: modifications)
  }

  // MARK: - When

  @Test func aWriteRightAfterRegisteringTellsTheStateBeforeFirst() async throws {
    let (realm, tasks) = try await open()
    let token = tasks.observe { [told] in told.add(ToldChange($0)) }
    try realm.write {
      expectEqual(told.all, [.initial(count: 3)])
      addTasks(3..<5, to: realm)
    }
    _ = await told.wait(for: 2)
    await expectEqual(told.settled(), [.initial(count: 3), update(5, [], [3, 4])])
    token.invalidate()
  }

  @Test func refreshTellsOfOwnWrites() async throws {
    let (realm, tasks) = try await open()
    let token = tasks.observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try realm.write { addTasks([3], to: realm) }
    expectEqual(told.all.count, 1)
    expectFalse(realm.refresh())
    expectEqual(told.all.last, update(4, [], [3]))
    await expectEqual(told.settled().count, 2)
    token.invalidate()
  }

  /// `Session+Advance` 1.
  @Test func beginningATransactionTellsOfTheOnesBefore() async throws {
    let (realm, tasks) = try await open()
    let token = tasks.observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try realm.write { addTasks([3], to: realm) }
    realm.beginWrite()
    expectEqual(told.all.last, update(4, [], [3]))
    realm.cancelWrite()
    await expectEqual(told.settled().count, 2)
    token.invalidate()
  }

  @Test func aCancelledTransactionTellsNothing() async throws {
    let (realm, tasks) = try await open()
    let token = tasks.observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    realm.beginWrite()
    addTasks([3], to: realm)
    realm.cancelWrite()
    await expectEqual(told.settled().count, 1)
    token.invalidate()
  }

  /// `SessionObservers` 3, `ObserverHub` 4.
  @Test func observersAreCalledInTheOrderOfRegistration() async throws {
    let (realm, tasks) = try await open()
    let order = Recorder<String>()
    let last = realm.observe { _, _ in order.add("realm") }
    let tokens = ["first", "second", "third"].map { name in
      tasks[0].observe { (_: ObjectChange<AsyncTask>) in order.add(name) }
    }
    try await writeElsewhere(configuration) { $0.objects(AsyncTask.self)[0].name = "new" }
    await expectEqual(order.wait(for: 4), ["realm", "first", "second", "third"])
    for token in tokens + [last] { token.invalidate() }
  }

  // MARK: - What counts

  @Test func updatingWithAllCountsAndWithModifiedSkipsEqualValues() async throws {
    let (realm, tasks) = try await open()
    let token = tasks.observe { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try realm.write {
      realm.create(AsyncTask.self, value: ["id": 1, "name": "task 1"], update: .modified)
    }
    await expectEqual(told.settled().count, 1)
    try realm.write {
      realm.create(AsyncTask.self, value: ["id": 1, "name": "task 1"], update: .all)
    }
    await expectEqual(told.wait(for: 2).last, update(3, [], [], [1]))
    token.invalidate()
  }

  @Test func keyPathsDoNotHoldBackInsertionsAndDeletions() async throws {
    let (realm, tasks) = try await open()
    let token = tasks.observe(keyPaths: ["name"]) { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try realm.write {
      realm.delete(tasks[0])
      addTasks([7], to: realm)
      tasks[0].priority = 3
    }
    await expectEqual(told.wait(for: 2).last, update(3, [0], [2]))
    token.invalidate()
  }

  @Test func noKeyPathsAreNoFilter() async throws {
    let (realm, tasks) = try await open()
    let token = tasks.observe(keyPaths: [String]()) { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try realm.write { tasks[2].priority = 3 }
    await expectEqual(told.wait(for: 2).last, update(3, [], [], [2]))
    token.invalidate()
  }

  @Test func aKeyPathThatEndsInALinkTellsOfTheLinkAlone() async throws {
    let (realm, tasks) = try await open()
    let owner = try realm.write { realm.create(AsyncOwner.self, value: ["name": "Ann"]) }
    let token = tasks.observe(keyPaths: [\.owner]) { [told] in told.add(ToldChange($0)) }
    _ = await told.wait(for: 1)
    try realm.write { tasks[1].owner = owner }
    await expectEqual(told.wait(for: 2).last, update(3, [], [], [1]))
    try realm.write { owner.name = "Eve" }
    await expectEqual(told.settled().count, 2)
    token.invalidate()
  }

  @Test func keyPathsLeadThroughLists() async throws {
    let (realm, tasks) = try await open()
    let owner = try realm.write { () -> AsyncOwner in
      let owner = realm.create(AsyncOwner.self, value: ["name": "Ann"])
      owner.tasks.append(tasks[0])
      return owner
    }
    let names = Recorder<[String]>()
    let token = owner.observe(keyPaths: [\AsyncOwner.tasks[0].name]) { change in
      if case .change(_, let properties) = change { names.add(properties.map(\.name)) }
    }
    try realm.write { tasks[0].priority = 3 }
    #expect(await names.settled().isEmpty)
    try realm.write { tasks[0].name = "new" }
    await expectEqual(names.wait(for: 1), [["tasks"]])
    token.invalidate()
  }

  @Test func keyPathsLeadThroughLinkingObjects() async throws {
    let (realm, tasks) = try await open()
    let owner = try realm.write { realm.create(AsyncOwner.self, value: ["name": "Ann"]) }
    let owners = realm.objects(AsyncOwner.self)
    let names = Recorder<[String]>()
    let links = Recorder<ToldChange>()
    let objectToken = owner.observe(keyPaths: ["owned.name"]) {
      (change: ObjectChange<AsyncOwner>) in
      if case .change(_, let properties) = change { names.add(properties.map(\.name)) }
    }
    let token = owners.observe(keyPaths: ["owned"]) { links.add(ToldChange($0)) }
    _ = await links.wait(for: 1)
    try realm.write { tasks[1].owner = owner }
    await expectEqual(links.wait(for: 2).last, update(1, [], [], [0]))
    await expectEqual(names.wait(for: 1), [["owned"]])
    try realm.write { tasks[1].name = "new" }
    await expectEqual(names.wait(for: 2).count, 2)
    await expectEqual(links.settled().count, 2)
    try realm.write { tasks[1].priority = 9 }
    await expectEqual(names.settled().count, 2)
    try realm.write { realm.delete(tasks[1]) }
    await expectEqual(links.wait(for: 3).count, 3)
    try realm.write { realm.delete(owner) }
    await expectEqual(links.wait(for: 4).last, update(0, [0]))
    token.invalidate()
    objectToken.invalidate()
  }

  @Test func keyPathsAreNamesOfTheClassNotOfTheFile() async throws {
    let realm = try await Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [RenamedNote.self]))
    let note = try realm.write { realm.create(RenamedNote.self, value: ["id": 1, "text": "a"]) }
    let names = Recorder<[String]>()
    let token = note.observe(keyPaths: ["text"]) { (change: ObjectChange<RenamedNote>) in
      if case .change(_, let properties) = change { names.add(properties.map(\.name)) }
    }
    try realm.write { note.mark = 1 }
    #expect(await names.settled().isEmpty)
    try realm.write { note.text = "b" }
    await expectEqual(names.wait(for: 1), [["text"]])
    token.invalidate()
  }

  // MARK: - Inside a callback

  /// `SessionObservers` 1.
  @Test func aTokenMayEndInsideItsCallback() async throws {
    let (realm, tasks) = try await open()
    let results = Recorder<Bool>()
    var token: NotificationToken?
    token = tasks.observe { change in
      MainActor.assumeIsolated {
        if case .update = change, let token { results.add(token.invalidate()) }
      }
    }
    for id in 3..<6 {
      try realm.write { addTasks([id], to: realm) }
      try await Task.sleep(for: .milliseconds(10))
    }
    await expectEqual(results.settled(), [true])
  }

  /// `SessionObservers` 1, `ObserverHub` 3 and `Observation` 2: each lock would be taken twice.
  @Test func anObserverMayRegisterAnother() async throws {
    let (realm, tasks) = try await open()
    let inner = told
    var innerToken: NotificationToken?
    let token = tasks.observe { change in
      MainActor.assumeIsolated {
        guard case .initial = change else { return }
        innerToken = tasks.observe { inner.add(ToldChange($0)) }
      }
    }
    await expectEqual(inner.wait(for: 1), [.initial(count: 3)])
    try realm.write { addTasks([3], to: realm) }
    await expectEqual(inner.wait(for: 2).last, update(4, [], [3]))
    token.invalidate()
    innerToken?.invalidate()
  }

  @Test func aCallbackCannotInvalidateItsRealm() async throws {
    let (realm, tasks) = try await open()
    let token = tasks.observe { [told] change in
      realm.invalidate()
      told.add(ToldChange(change))
    }
    await expectEqual(told.wait(for: 1), [.initial(count: 3)])
    expectFalse(tasks.isInvalidated)
    token.invalidate()
  }

  // MARK: - On an actor

  @Test func observingAnObjectThatVanishedGivesAnEndedToken() async throws {
    // It has a thread of its own, as it blocks.
    actor Busy {
      private let executor = QueueExecutor()
      nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
      }
      // A realm in which nothing was read yet would start at the version of the reference.
      var realm: Realm?

      func wait(
        _ semaphore: DispatchSemaphore, _ events: Recorder<String>,
        _ configuration: Realm.Configuration
      ) async throws -> Bool {
        let realm = try await Realm(configuration: configuration, actor: self)
        self.realm = realm
        events.add("busy")
        let wasFreed = semaphore.wait(timeout: .now() + 300) == .success
        realm.refresh()
        return wasFreed && realm.objects(AsyncTask.self).count == 2
      }
    }
    let (realm, tasks) = try await open()
    let busy = Busy()
    let semaphore = DispatchSemaphore(value: 0)
    let events = Recorder<String>()
    let configuration = realm.configuration
    async let isFree = busy.wait(semaphore, events, configuration)
    _ = await events.wait(for: 1)
    let task = tasks[1]
    let registration = Task { @MainActor in
      // From here on, the main actor is free only when the actor is to register the observer.
      events.add("registering")
      return await task.observe(on: busy) { _, _ in }.invalidate()
    }
    _ = await events.wait(for: 2)
    try realm.write { realm.delete(task) }
    semaphore.signal()
    #expect(try await isFree)
    await expectEqual(registration.value, false)
  }

  @Test func anObserverOnAnActorNeedsNoAnnotation() async throws {
    let (realm, tasks) = try await open()
    let names = Recorder<String>()
    let token = await tasks[0].observe(keyPaths: ["name"], on: MainActor.shared) { _, change in
      // The object is an `Object`, so it has subscripts.
      if case .change(let object, _) = change { names.add(object["name"] as? String ?? "") }
    }
    try realm.write { tasks[0].name = "new" }
    await expectEqual(names.wait(for: 1), ["new"])
    token.invalidate()
  }
}
