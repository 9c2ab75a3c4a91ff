// SPDX-License-Identifier: Apache-2.0

// Changes as asynchronous sequences: where they come, how they are joined, and when they end.

import Foundation
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct ChangeSequenceTests {
  private let configuration = freshConfiguration()

  private func open() async throws -> Realm { try await Realm(configuration: configuration) }

  /// Changes of a collection as values that can be compared.
  private func describe<C: RealmCollection>(_ change: RealmCollectionChange<C>?) -> ToldChange? {
    change.map { ToldChange($0) }
  }

  @Test func aLoopHearsOfTheCollectionAndItsChanges() async throws {
    let realm = try await open()
    var heard: [ToldChange] = []
    for await change in realm.objects(AsyncTask.self).changes() {
      MainActor.assertIsolated()
      heard.append(ToldChange(change))
      switch heard.count {
      case 1: try realm.write { addTasks(0..<2, to: realm) }
      case 2: try await writeElsewhere(configuration) { $0.objects(AsyncTask.self)[1].name = "b" }
      case 3: try await realm.asyncWrite { realm.delete(realm.objects(AsyncTask.self)[0]) }
      default: break
      }
      if heard.count == 4 { break }
    }
    expectEqual(
      heard,
      [
        .initial(count: 0),
        .update(count: 2, deletions: [], insertions: [0, 1], modifications: []),
        .update(count: 2, deletions: [], insertions: [], modifications: [1]),
        .update(count: 1, deletions: [0], insertions: [], modifications: []),
      ])
  }

  /// `ChangeSubscription` 1, 2.
  @Test func aSlowReaderGetsOneJoinedChange() async throws {
    let realm = try await open()
    try realm.write { addTasks(0..<3, to: realm) }
    var changes = realm.objects(AsyncTask.self).changes().makeAsyncIterator()
    await expectEqual(describe(changes.next()), .initial(count: 3))
    for id in 10..<20 {
      try await writeElsewhere(configuration) { addTasks([id], to: $0) }
      if id % 3 == 0 { realm.refresh() }
    }
    try realm.write {
      realm.delete(realm.objects(AsyncTask.self)[0])
      realm.objects(AsyncTask.self)[0].name = "first"
    }
    await expectEqual(
      describe(changes.next()),
      .update(count: 12, deletions: [0], insertions: Array(2..<12), modifications: [1]))
    try realm.write { addTasks([30], to: realm) }
    await expectEqual(
      describe(changes.next()),
      .update(count: 13, deletions: [], insertions: [12], modifications: []))
  }

  @Test func keyPathsRestrictSequences() async throws {
    let realm = try await open()
    try realm.write { addTasks(0..<3, to: realm) }
    let tasks = realm.objects(AsyncTask.self)
    var named = tasks.changes(keyPaths: ["name"]).makeAsyncIterator()
    var typed = tasks.changes(keyPaths: [\.priority]).makeAsyncIterator()
    _ = await named.next()
    _ = await typed.next()
    try realm.write { tasks[0].name = "a" }
    try realm.write { tasks[1].priority = 5 }
    await expectEqual(
      describe(named.next()),
      .update(count: 3, deletions: [], insertions: [], modifications: [0]))
    await expectEqual(
      describe(typed.next()),
      .update(count: 3, deletions: [], insertions: [], modifications: [1]))
  }

  /// `ChangeSubscription` 3.
  @Test func aCancelledLoopEnds() async throws {
    let realm = try await open()
    let configuration = configuration
    let heard = Recorder<Int>()
    let task = Task { @MainActor in
      let realm = try await Realm(configuration: configuration)
      for await change in realm.objects(AsyncTask.self).changes() {
        if case .initial(let tasks) = change { heard.add(tasks.count) }
        if case .update(let tasks, _, _, _) = change { heard.add(tasks.count) }
      }
      return "ended"
    }
    await expectEqual(heard.wait(for: 1), [0])
    task.cancel()
    try await expectEqual(task.value, "ended")
    try realm.write { addTasks(0..<1, to: realm) }
    await expectEqual(heard.settled(), [0])
  }

  @Test func aDeletedListEndsItsSequence() async throws {
    let realm = try await open()
    let owner = try realm.write { () -> AsyncOwner in
      let owner = realm.create(AsyncOwner.self, value: ["name": "Ann"])
      owner.numbers.append(objectsIn: [1, 2, 3])
      return owner
    }
    var deletions: [[Int]] = []
    for await change in owner.numbers.changes() {
      if case .initial = change { try realm.write { realm.delete(owner) } }
      if case .update(_, let gone, _, _) = change { deletions.append(gone) }
    }
    expectEqual(deletions, [[0, 1, 2]])
  }

  @Test func anInvalidatedRealmEndsItsSequencesAndNoObserver() async throws {
    let realm = try await open()
    let told = Recorder<ToldChange>()
    let token = realm.objects(AsyncTask.self).observe { told.add(ToldChange($0)) }
    var changes = realm.objects(AsyncTask.self).changes().makeAsyncIterator()
    _ = await changes.next()
    _ = await told.wait(for: 1)
    realm.invalidate()
    #expect(await changes.next() == nil)
    try realm.write { addTasks([9], to: realm) }
    await expectEqual(told.wait(for: 2).count, 2)
    expectTrue(token.invalidate())
  }

  @Test func anObjectIsASequenceOfItsChanges() async throws {
    let realm = try await open()
    let task = try realm.write {
      realm.create(AsyncTask.self, value: ["id": 1, "name": "one", "priority": 1])
    }
    var heard: [String] = []
    var changes = task.changes().makeAsyncIterator()
    try await writeElsewhere(configuration) { $0.objects(AsyncTask.self)[0].name = "two" }
    try await writeElsewhere(configuration) { realm in
      realm.objects(AsyncTask.self)[0].name = "three"
      realm.objects(AsyncTask.self)[0].priority = 3
    }
    for _ in 0..<15_000 where task.priority != 3 { try await Task.sleep(for: .milliseconds(2)) }
    if case .change(let changed, let properties) = await changes.next() {
      expectTrue(changed === task)
      for property in properties {
        heard.append("\(property.name): \(property.oldValue ?? "") -> \(property.newValue ?? "")")
      }
    }
    expectEqual(heard, ["name: one -> three", "priority: 1 -> 3"])
    try realm.write { realm.delete(task) }
    guard case .deleted = await changes.next() else {
      Issue.record("no deletion")
      return
    }
    #expect(await changes.next() == nil)
  }

  /// `ChangeSubscription` 3.
  @Test func anActorLoopsOverItsOwnRealm() async throws {
    actor Counter {
      func count(upTo limit: Int, _ configuration: Realm.Configuration) async throws -> [Int] {
        let realm = try await Realm(configuration: configuration, actor: self)
        var counts: [Int] = []
        for await change in realm.objects(AsyncTask.self).where({ $0.priority == 0 }).changes() {
          self.assertIsolated()
          switch change {
          case .initial(let tasks), .update(let tasks, _, _, _): counts.append(tasks.count)
          case .error(let error): throw error
          }
          if counts.last == limit { break }
        }
        return counts
      }
    }
    let configuration = configuration
    async let counts = Counter().count(upTo: 50, configuration)
    let realm = try await open()
    for id in 0..<50 { try await realm.asyncWrite { addTasks([id], to: realm) } }
    let heard = try await counts
    expectEqual(heard.last, 50)
    expectEqual(heard, heard.sorted())
    expectEqual(heard.count, Set(heard).count)
  }
}
