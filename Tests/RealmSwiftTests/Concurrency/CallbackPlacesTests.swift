// SPDX-License-Identifier: Apache-2.0

// Where the blocks and completions of asynchronous writes run: always where the realm lives.

import Dispatch
import Foundation
import RealmStorage
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

private actor CallbackStore {
  private var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  /// Adds tasks by callbacks and by suspending, and waits for all.
  func add(_ ids: Range<Int>) async throws {
    for id in ids where id % 2 == 0 {
      realm.writeAsync { self.preconditionIsolated() }
      realm.beginAsyncWrite { [self] in
        assumeIsolated { store in
          store.realm.create(AsyncTask.self, value: ["id": id])
          store.realm.commitAsyncWrite(allowGrouping: true) { _ in self.preconditionIsolated() }
        }
      }
    }
    for id in ids where id % 2 == 1 {
      try await realm.asyncWrite { _ = realm.create(AsyncTask.self, value: ["id": id]) }
    }
    while realm.isPerformingAsynchronousWriteOperations {
      try? await Task.sleep(for: .milliseconds(1))
    }
  }

  /// Asks for a write and goes away.
  func addLater(_ id: Int, _ told: Recorder<Int>) {
    let realm: Realm = realm
    realm.writeAsync {
      realm.create(AsyncTask.self, value: ["id": id])
    } onComplete: { _ in
      told.add(id)
    }
  }

  var count: Int { realm.objects(AsyncTask.self).count }
}

@Suite(.timeLimit(.minutes(10))) struct CallbackPlacesTests {
  private let configuration = freshConfiguration()
  private let told = Recorder<String>()

  /// `AsyncWrites` 1, `AsyncWrites+Commit` 3.
  @Test func onAnActor() async throws {
    let store = try await CallbackStore(configuration)
    try await store.add(0..<30)
    await expectEqual(store.count, 30)
  }

  /// `AsyncWrites` 3.
  @Test func anActorLivesUntilItsWritesAreDone() async throws {
    let told = Recorder<Int>()
    let keeper = try await CallbackStore(configuration)
    do {
      let store = try await CallbackStore(configuration)
      await store.addLater(1, told)
    }
    await expectEqual(told.wait(for: 1), [1])
    try await keeper.add(3..<4)
    await expectEqual(keeper.count, 2)
  }

  @Test func onASerialQueue() async throws {
    let queue = DispatchQueue(label: "a queue of realms")
    queue.async { [configuration, told] in
      guard let realm = try? Realm(configuration: configuration, queue: queue) else { return }
      realm.writeAsync {
        dispatchPrecondition(condition: .onQueue(queue))
        realm.create(AsyncTask.self, value: ["id": 1])
        told.add("block")
      } onComplete: { _ in
        dispatchPrecondition(condition: .onQueue(queue))
        told.add("done \(realm.objects(AsyncTask.self).count)")
      }
      told.add("returned")
    }
    await expectEqual(told.wait(for: 3), ["returned", "block", "done 1"])
  }

  @Test func onARunLoop() async throws {
    let thread = Thread { [configuration, told] in
      let loop = RunLoop.current
      let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in
        guard let realm = try? Realm(configuration: configuration) else { return }
        realm.writeAsync {
          realm.create(AsyncTask.self, value: ["id": 1])
          told.add("block")
        } onComplete: { _ in
          told.add("done \(realm.objects(AsyncTask.self).count)")
        }
        told.add("returned")
      }
      loop.add(timer, forMode: .common)
      let keepAlive = Timer(timeInterval: 3600, repeats: true) { _ in }
      loop.add(keepAlive, forMode: .common)
      while told.all.count < 3, loop.run(mode: .default, before: .now + 1) {}
    }
    thread.start()
    await expectEqual(told.wait(for: 3), ["returned", "block", "done 1"])
  }

  /// Runs `body` on a thread without a run loop.
  private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      Thread { continuation.resume(with: Result { try body() }) }.start()
    }
  }

  @Test func aThreadWithoutARunLoopWritesAtOnce() async throws {
    try await onThread { [configuration, told] in
      let realm = try Realm(configuration: configuration)
      realm.writeAsync {
        realm.create(AsyncTask.self, value: ["id": 1])
        told.add("block")
      } onComplete: { _ in
        told.add("done")
        realm.writeAsync { told.add("more") }
        told.add("done at last")
      }
      told.add("returned")
      realm.beginWrite()
      realm.create(AsyncTask.self, value: ["id": 2])
      realm.commitAsyncWrite(allowGrouping: true) { _ in told.add("commit") }
      told.add("committed")
    }
    expectEqual(
      told.all, ["block", "done", "done at last", "more", "returned", "commit", "committed"])
  }

  @Test func aThreadWithoutARunLoopWritesAtTheEndOfItsTransaction() async throws {
    try await onThread { [configuration, told] in
      let realm = try Realm(configuration: configuration)
      try realm.write {
        realm.create(AsyncTask.self, value: ["id": 1])
        realm.writeAsync({ told.add("first") }, onComplete: { _ in told.add("first done") })
        let cancelled = realm.writeAsync { told.add("never") }
        realm.beginAsyncWrite {
          realm.create(AsyncTask.self, value: ["id": 2])
          realm.commitAsyncWrite(allowGrouping: true) { _ in told.add("second done") }
          told.add("second")
        }
        try realm.cancelAsyncWrite(cancelled)
        told.add("end")
      }
      told.add("\(realm.objects(AsyncTask.self).count)")
      expectFalse(realm.isPerformingAsynchronousWriteOperations)
    }
    expectEqual(
      told.all.filter { $0 != "second" }, ["end", "first", "first done", "second done", "2"])
  }

  /// The realm of a run loop that has ended is granted the right to write, and never comes.
  @Test func aRunLoopThatEndedDoesNotKeepOthersFromWriting() async throws {
    let configuration = configuration
    let holder = try await CallbackStore(configuration)
    let isAsked = Atomic(false)
    let file = try #require(
      SharedFile.openFiles(atPath: configuration.location.path).first?.file)
    let blocking = try file.beginWrite()
    try await onThread {
      let loop = RunLoop.current
      let timer = Timer(fire: Date(), interval: 0, repeats: false) { _ in
        guard let realm = try? Realm(configuration: configuration) else { return }
        realm.writeAsync {}
        isAsked.store(true, ordering: .relaxed)
      }
      loop.add(timer, forMode: .common)
      while !isAsked.load(ordering: .relaxed), loop.run(mode: .default, before: .now + 1) {}
    }
    let waiting = Task { try await holder.add(1..<2) }
    try await Task.sleep(for: .milliseconds(10))
    blocking.rollback()
    try await waiting.value
    await expectEqual(holder.count, 1)
  }
}
