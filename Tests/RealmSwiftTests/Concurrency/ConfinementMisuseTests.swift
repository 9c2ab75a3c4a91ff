// SPDX-License-Identifier: Apache-2.0

// Misuse of confinement traps with the documented message.

import Dispatch
import Foundation
import RealmSwift
import Testing

private actor Keeper {
  // Only to break the rule on purpose: a realm that leaves its actor.
  nonisolated(unsafe) var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }
}

/// What the process wrote to its standard error before it ended.
private func text(_ result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}

/// A value that leaves where it belongs, on purpose.
private struct Smuggled<Value>: @unchecked Sendable {
  // Sendable: these tests break the rule to see it enforced.
  let value: Value
}

@Suite(.timeLimit(.minutes(10))) struct ConfinementMisuseTests {
  /// `Session` 1. `RealmCore` 2.
  @Test func aThreadsRealmMustNotBeUsedOnAnother() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = Smuggled(value: try openOnThread(freshConfiguration()))
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        Thread {
          _ = realm.value.objects(AsyncTask.self).count
          continuation.resume()
        }.start()
      }
    }
    #expect(text(result).contains("Realm accessed from incorrect thread."))
    #expect(text(result).contains("It lives on thread"))
  }

  @Test func aMainActorsObjectMustNotBeUsedElsewhere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let task = try await makeTaskOnMain(freshConfiguration())
      await Task.detached { _ = task.value.name }.value
    }
    #expect(
      text(result).contains(
        "Realm accessed from incorrect thread. It lives on the main actor and was touched on"))
  }

  @Test func anActorsRealmMustNotBeUsedOnAnother() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let keeper = try await Keeper(freshConfiguration())
      await MainActor.run { try? keeper.realm.write {} }
    }
    #expect(
      text(result).contains(
        "Realm accessed from incorrect thread. It lives on the actor Keeper and was touched on the "
          + "main actor."))
  }

  @Test func aQueuesRealmMustBeOpenedOnTheQueue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try openSynchronously(freshConfiguration(), DispatchQueue(label: "elsewhere"))
    }
    #expect(text(result).contains("Realm opened from incorrect dispatch queue."))
  }

  @Test func aThreadWithoutARunLoopCannotObserve() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try openOnThread(freshConfiguration())
      _ = realm.objects(AsyncTask.self).observe { _ in }
    }
    #expect(text(result).contains("Can only add notification blocks from within runloops."))
  }

  @Test func observingAfterChangesInAWriteIsRefused() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await observeAfterChanges(freshConfiguration())
    }
    #expect(
      text(result).contains(
        "Cannot create asynchronous query after making changes in a write transaction."))
  }

  @Test func unmanagedObjectsCannotBeObserved() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = AsyncTask().observe { (_: ObjectChange<AsyncTask>) in }
    }
    #expect(
      text(result).contains(
        "Only objects which are managed by a Realm support change notifications"))
    let list = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = AsyncOwner().tasks.observe { _ in }
    }
    #expect(
      text(list).contains("Change notifications are only supported on managed collections."))
  }

  @Test func asyncWriteNeedsAnActor() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await writeAsyncOnThread(freshConfiguration())
    }
    #expect(
      text(result).contains(
        "asyncWrite() can only be called on main thread or actor-isolated Realms"))
  }

  @Test func anUnknownKeyPathIsRefused() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await observeKeyPath(freshConfiguration(), "owner.age")
    }
    #expect(
      text(result).contains(
        "Property 'age' in KeyPath 'owner.age' is not a valid property in AsyncOwner."))
  }

  @Test func aReferenceIsResolvedOnce() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await resolveTwice(freshConfiguration())
    }
    #expect(text(result).contains("Can only resolve a thread safe reference once."))
  }
}

// The bodies, where the isolation has to be a particular one.

private func openSynchronously(
  _ configuration: Realm.Configuration, _ queue: DispatchQueue? = nil
) throws -> Realm { try Realm(configuration: configuration, queue: queue) }

/// Opens a realm that is confined to the calling thread, which must not be the main actor's.
private func openOnThread(_ configuration: Realm.Configuration) throws -> Realm {
  try openSynchronously(configuration)
}

@MainActor private func makeTaskOnMain(
  _ configuration: Realm.Configuration
) async throws -> Smuggled<AsyncTask> {
  let realm = try await Realm(configuration: configuration)
  return Smuggled(value: try realm.write { realm.create(AsyncTask.self, value: ["id": 1]) })
}

@MainActor private func observeAfterChanges(_ configuration: Realm.Configuration) async throws {
  let realm = try await Realm(configuration: configuration)
  realm.beginWrite()
  // Before the first change it is allowed.
  let token = realm.objects(AsyncTask.self).observe { _ in }
  realm.create(AsyncTask.self, value: ["id": 1])
  _ = realm.objects(AsyncTask.self).observe { _ in }
  token.invalidate()
}

@MainActor private func observeKeyPath(
  _ configuration: Realm.Configuration, _ keyPath: String
) async throws {
  let realm = try await Realm(configuration: configuration)
  _ = realm.objects(AsyncTask.self).observe(keyPaths: [keyPath]) { _ in }
}

@MainActor private func writeAsyncOnThread(_ configuration: Realm.Configuration) async throws {
  let realm = try await Task.detached { Smuggled(value: try openOnThread(configuration)) }.value
  try await realm.value.asyncWrite {}
}

@MainActor private func resolveTwice(_ configuration: Realm.Configuration) async throws {
  let realm = try await Realm(configuration: configuration)
  let task = try realm.write { realm.create(AsyncTask.self, value: ["id": 1]) }
  let reference = ThreadSafeReference(to: task)
  guard realm.resolve(reference)?.isSameObject(as: task) == true, reference.isInvalidated else {
    return
  }
  _ = realm.resolve(reference)
}
