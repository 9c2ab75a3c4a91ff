// SPDX-License-Identifier: Apache-2.0

// Managed objects and collections under `withObservationTracking`.

import Foundation
import Observation
import RealmStorage
import RealmSwift
import RealmSwiftTestSupport
import TestExtensions
import Testing

/// Tracks what `read` accesses until it changes.
private final class Tracking: Sendable {
  private let count = Locked(0)

  /// How often a change was reported.
  var toldCount: Int { count.withLock { $0 } }

  init<Value>(_ read: () -> Value) {
    _ = withObservationTracking(read, onChange: { [self] in count.withLock { $0 += 1 } })
  }

  func wait() async -> Int {
    for _ in 0..<15_000 where toldCount == 0 { try? await Task.sleep(for: .milliseconds(2)) }
    return toldCount
  }
}

@MainActor @Suite(.timeLimit(.minutes(10))) struct ObservationTests {
  private let configuration = freshConfiguration()

  private func open() async throws -> (Realm, AsyncTask) {
    let realm = try await Realm(configuration: configuration)
    let task = try realm.write { () -> AsyncTask in
      addTasks(0..<3, to: realm)
      return realm.objects(AsyncTask.self)[1]
    }
    return (realm, task)
  }

  @Test func aPropertyThatWasReadIsTold() async throws {
    let (realm, task) = try await open()
    let name = Tracking { task.name }
    let both = Tracking { (task.name, task.priority) }
    let other = Tracking { realm.objects(AsyncTask.self)[0].name }
    try realm.write { task.priority = 5 }
    expectTrue((name.toldCount, both.toldCount, other.toldCount) == (0, 1, 0))
    try realm.write { task.name = "new" }
    expectTrue((name.toldCount, both.toldCount, other.toldCount) == (1, 1, 0))
    try realm.write { task.name = "newer" }
    expectEqual(name.toldCount, 1)  // tracking is for one change
  }

  @Test func changesOfOtherThreadsAreTold() async throws {
    let (_, task) = try await open()
    let tracking = Tracking { task.name }
    try await writeElsewhere(configuration) { $0.objects(AsyncTask.self)[1].name = "elsewhere" }
    await expectEqual(tracking.wait(), 1)
    expectEqual(task.name, "elsewhere")
  }

  @Test func nothingIsToldOfWhatWasUndone() async throws {
    let (realm, task) = try await open()
    let tracking = Tracking { task.name }
    realm.beginWrite()
    task.name = "draft"
    realm.cancelWrite()
    expectEqual(tracking.toldCount, 0)
    try realm.write { task.name = "final" }
    expectEqual(tracking.toldCount, 1)
  }

  @Test func propertiesByNameAndDescriptionsAreTracked() async throws {
    let (realm, task) = try await open()
    let byName = Tracking { task["name"] as? String }
    let description = Tracking { task.description }
    try realm.write { task.priority = 4 }
    expectTrue((byName.toldCount, description.toldCount) == (0, 1))
    try realm.write { task.name = "x" }
    expectEqual(byName.toldCount, 1)
  }

  @Test func deletionsAreTold() async throws {
    let (realm, task) = try await open()
    let name = Tracking { task.name }
    let existence = Tracking { task.isInvalidated }
    try realm.write { task.name = "still there" }
    expectTrue((name.toldCount, existence.toldCount) == (1, 0))
    try realm.write { realm.delete(task) }
    expectEqual(existence.toldCount, 1)
  }

  @Test func resultsAreToldWhenElementsComeAndGo() async throws {
    let (realm, task) = try await open()
    let tasks = realm.objects(AsyncTask.self)
    let all = Tracking { tasks.count }
    let urgent = Tracking { tasks.where { $0.priority > 3 }.isEmpty }
    let first = Tracking { tasks.sorted(byKeyPath: "name").first?.id }
    let looped = Tracking { for task in tasks { _ = task.id } }
    try realm.write { task.owner = AsyncOwner(value: ["name": "Ann"]) }
    expectEqual(
      [all, urgent, first, looped].map(\.toldCount), [0, 0, 0, 0], "no result depends on it")
    try realm.write { task.priority = 5 }
    expectEqual([all, urgent, first, looped].map(\.toldCount), [0, 1, 0, 0])
    try realm.write { task.name = "zzz" }
    expectEqual([all, urgent, first, looped].map(\.toldCount), [0, 1, 1, 0])
    try realm.write { addTasks([9], to: realm) }
    expectEqual([all, urgent, first, looped].map(\.toldCount), [1, 1, 1, 1])
  }

  @Test func listsAndBacklinksAreTold() async throws {
    let (realm, task) = try await open()
    let owner = try realm.write { realm.create(AsyncOwner.self, value: ["name": "Ann"]) }
    let list = owner.tasks
    let numbers = Tracking { owner.numbers.count }
    let tasks = Tracking { list.first?.name }
    let refined = Tracking { list.where { $0.priority > 3 }.count }
    let backlinks = Tracking { owner.owned.count }
    let all = [numbers, tasks, refined, backlinks]
    try realm.write { owner.name = "Eve" }
    expectEqual(all.map(\.toldCount), [0, 0, 0, 0])
    try realm.write { list.append(task) }
    expectEqual(all.map(\.toldCount), [0, 1, 1, 0])
    try realm.write { task.owner = owner }
    expectEqual(all.map(\.toldCount), [0, 1, 1, 1])
    try realm.write { realm.delete(owner) }
    expectEqual(all.map(\.toldCount), [1, 1, 1, 1])
  }

  @Test func setsAndMapsAreTold() async throws {
    let file = try TemporaryRealm.ofShelves()
    let realm = try file.open()
    let shelf = try realm.write {
      realm.create(Shelf.self, value: ["id": 1, "tags": ["a"], "scores": ["a": 1, "b": 2]])
    }
    let tags = Tracking { shelf.tags.contains("b") }
    let scores = Tracking { shelf.scores["a"] }
    let keys = Tracking { shelf.scores.keys.count }
    let dogs = Tracking { shelf.dogs.count }
    let all = [tags, scores, keys, dogs]
    try realm.write { shelf.numbers.insert(7) }
    expectEqual(all.map(\.toldCount), [0, 0, 0, 0])
    try realm.write { shelf.tags.insert("b") }
    expectEqual(all.map(\.toldCount), [1, 0, 0, 0])
    try realm.write { shelf.scores["a"] = 3 }
    expectEqual(all.map(\.toldCount), [1, 1, 1, 0])
    try realm.write { realm.delete(shelf) }
    expectEqual(all.map(\.toldCount), [1, 1, 1, 1])
  }

  @Test func anInvalidatedRealmTellsAll() async throws {
    let (realm, task) = try await open()
    let tracking = Tracking { task.name }
    realm.invalidate()
    expectEqual(tracking.toldCount, 1)
  }

  /// `TrackingPlace` 1: the place holds on each thread.
  @Test func aRealmOfAThreadTellsWhenItIsRefreshed() async throws {
    let configuration = configuration
    let (before, after) = try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<(Int, Int), any Error>) in
      Thread {
        continuation.resume(
          with: Result {
            let realm = try Realm(configuration: configuration)
            try realm.write { addTasks(0..<1, to: realm) }
            let task = realm.objects(AsyncTask.self)[0]
            // Reads before must not make the tracked one faster than its notice.
            _ = task.name
            _ = task.name
            let tracking = Tracking { task.name }
            let isWritten = DispatchSemaphore(value: 0)
            Thread {
              if let realm = try? Realm(configuration: configuration) {
                try? realm.write { realm.objects(AsyncTask.self)[0].name = "new" }
              }
              isWritten.signal()
            }.start()
            isWritten.wait()
            let before = tracking.toldCount
            realm.refresh()
            return (before, tracking.toldCount)
          })
      }.start()
    }
    expectTrue((before, after) == (0, 1))
  }

  @Test func anActorTracksItsObjects() async throws {
    actor Watcher {
      func watch(_ configuration: Realm.Configuration) async throws -> Int {
        let realm = try await Realm(configuration: configuration, actor: self)
        guard let task = realm.objects(AsyncTask.self).first else { return -1 }
        let tracking = Tracking { task.name }
        try await writeElsewhere(configuration) { $0.objects(AsyncTask.self)[0].name = "new" }
        return await tracking.wait()
      }
    }
    let (realm, _) = try await open()
    try await expectEqual(Watcher().watch(configuration), 1)
    expectTrue(realm.refresh() || realm.objects(AsyncTask.self)[0].name == "new")
  }

  /// `AccessTracker` 1.
  @Test func whatIsToldMayWrite() async throws {
    let (realm, task) = try await open()
    let configuration = configuration
    withObservationTracking {
      _ = task.name
    } onChange: {
      MainActor.assumeIsolated {
        guard let realm = try? Realm(configuration: configuration) else { return }
        try? realm.write { addTasks([50], to: realm) }
      }
    }
    try realm.write { task.name = "new" }
    expectEqual(realm.objects(AsyncTask.self).count, 4)
  }

  /// `AccessTracker` 1 and 3: a new access is notified of later changes alone.
  @Test func whatIsToldMayTrackAgain() async throws {
    let (realm, task) = try await open()
    let configuration = configuration
    let again = Locked<Tracking?>(nil)
    // With this one, something is tracked all the time.
    let other = Tracking { task.priority }
    withObservationTracking {
      _ = task.name
    } onChange: {
      MainActor.assumeIsolated {
        guard let realm = try? Realm(configuration: configuration) else { return }
        let tracking = Tracking { realm.objects(AsyncTask.self)[1].name }
        again.withLock { $0 = tracking }
      }
    }
    try realm.write { task.name = "new" }
    let tracking = try #require(again.withLock { $0 })
    expectEqual(tracking.toldCount, 0)
    try realm.write { realm.objects(AsyncTask.self)[0].priority = 9 }
    expectTrue((tracking.toldCount, other.toldCount) == (0, 0))
    try realm.write { task.name = "newer" }
    expectEqual(tracking.toldCount, 1)
  }
}
