// SPDX-License-Identifier: Apache-2.0

// Many writers that wait for one file at once, some of whom give up: 1,000, and where
// `REALM_STRESS_SECONDS` is set, 10,000, which hold up the other tests.

import Dispatch
import Foundation
import RealmStorage
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

/// An actor whose tasks wait for the file of others.
private actor Teller {
  private var realm: Realm!

  init(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
  }

  /// Adds to the sum of all; the block records that it runs in a transaction of its own.
  func add(_ amount: Int, _ log: WaiterLog) async throws {
    try await realm.asyncWrite { log.add(amount, to: realm) }
  }
}

/// What the blocks of all writers did.
private final class WaiterLog: Sendable {
  private struct Entries {
    var sum = 0
    var outside = 0
    var isInside = false
  }

  private let entries = Locked(Entries())

  var sum: Int { entries.withLock { $0.sum } }
  /// How many blocks ran outside of a transaction, or while another block ran.
  var outsideCount: Int { entries.withLock { $0.outside } }

  func add(_ amount: Int, to realm: Realm) {
    enter(realm)
    let account = realm.object(ofType: AsyncTask.self, forPrimaryKey: 0)
    account?.priority += amount
    entries.withLock { entries in
      if account != nil { entries.sum += amount }
      entries.isInside = false
    }
  }

  private func enter(_ realm: Realm) {
    let isInWrite = realm.isInWriteTransaction
    entries.withLock { entries in
      if !isInWrite || entries.isInside { entries.outside += 1 }
      entries.isInside = true
    }
  }
}

@Suite(.timeLimit(.minutes(10))) struct ManyWaitersTests {
  private static var waiterCount: Int {
    ProcessInfo.processInfo.environment["REALM_STRESS_SECONDS"] == nil ? 1_000 : 10_000
  }

  /// `Realm+AsyncWrite` 1.
  @Test(arguments: [UInt64](1...2)) func manyWaitersComeThrough(seed: UInt64) async throws {
    let configuration = freshConfiguration()
    let realm = try await Keeper.open(configuration)
    var tellers: [Teller] = []
    for _ in 0..<6 { tellers.append(try await Teller(configuration)) }
    let log = WaiterLog()
    var random = SeededGenerator(seed: seed)
    let (queueSum, queueWaiters) = (Locked(0), DispatchGroup())
    let queue = DispatchQueue(label: "waiters")
    let outcome = await withTaskGroup(of: (done: Int, given: Int).self) { group in
      for number in 1...Self.waiterCount {
        let teller = tellers[Int.random(in: 0..<tellers.count, using: &random)]
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          Self.addOnQueue(
            number, configuration, queue, queueWaiters, log, queueSum,
            isCancelled: Bool.random(using: &random))
        case let kind:
          // Cancelled before it waits, while it waits, or, if it is fast, too late.
          let yields = kind < 3 ? Int.random(in: 0..<40, using: &random) : nil
          group.addTask { await Self.add(number, teller, log, cancellingAfter: yields) }
        }
      }
      return await group.reduce(into: (done: 0, given: 0)) { total, waiter in
        total.done += waiter.done
        total.given += waiter.given
      }
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      queueWaiters.notify(queue: .global()) { continuation.resume() }
    }
    expectEqual(log.outsideCount, 0)
    expectEqual(log.sum, outcome.done + queueSum.withLock { $0 })
    expectTrue(outcome.done < outcome.given, "nobody was cancelled")
    await expectEqual(realm.sum(), log.sum)
  }

  /// Waits for the file in a task, which is cancelled after so many turns of others.
  ///
  /// - Returns: What was asked for, and how much of it was done.
  private static func add(
    _ amount: Int, _ teller: Teller, _ log: WaiterLog, cancellingAfter yields: Int?
  ) async -> (done: Int, given: Int) {
    let task = Task { try await teller.add(amount, log) }
    if let yields {
      for _ in 0..<yields { await Task.yield() }
      task.cancel()
    }
    switch await task.result {
    case .success: return (amount, amount)
    case .failure: return (0, amount)
    }
  }

  /// Waits for the file on a queue, by callback.
  private static func addOnQueue(
    _ amount: Int, _ configuration: Realm.Configuration, _ queue: DispatchQueue,
    _ waiters: DispatchGroup, _ log: WaiterLog, _ sum: Locked<Int>, isCancelled: Bool
  ) {
    waiters.enter()
    queue.async {
      guard let realm = try? Realm(configuration: configuration, queue: queue) else {
        return waiters.leave()
      }
      let id = realm.writeAsync {
        log.add(amount, to: realm)
        sum.withLock { $0 += amount }
      } onComplete: { _ in
        waiters.leave()
      }
      guard isCancelled else { return }
      // Its turn has not come: a block runs in a later turn of the queue.
      try? realm.cancelAsyncWrite(id)
      waiters.leave()
    }
  }
}

/// Keeps the realm open, and knows what is in it.
private actor Keeper {
  private var realm: Realm!

  static func open(_ configuration: Realm.Configuration) async throws -> Keeper {
    let keeper = Keeper()
    try await keeper.start(configuration)
    return keeper
  }

  private func start(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm(configuration: configuration, actor: self)
    try await realm.asyncWrite { _ = realm.create(AsyncTask.self, value: ["id": 0]) }
  }

  func sum() async -> Int {
    await realm.asyncRefresh()
    return realm.object(ofType: AsyncTask.self, forPrimaryKey: 0)?.priority ?? -1
  }
}
