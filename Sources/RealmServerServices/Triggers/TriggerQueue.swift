// SPDX-License-Identifier: Apache-2.0

// The realms on the list of a trigger.
//
// Invariants:
// 1. A realm waits once, however often it is added; one that is added while it is looked at waits
//    again.
// 2. Who waits for the queue to be idle goes on when no realm waits and none is looked at.

#if Server
import RealmServerEngine
import RealmStorage

/// Realms in the order of their addition.
final class TriggerQueue: Sendable {
  /// The next thing to do.
  enum Work: Hashable, Sendable {
    case realm(RealmID)
    /// Nothing waits: there is time to store positions.
    case nothing
  }

  private struct State {
    var order: [RealmID] = []
    var first = 0
    var waiting: Set<RealmID> = []
    var isWorking = false
    var isClosed = false
    var idleWaiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())
  private let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init() {
    (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// The number of waiting realms.
  var count: Int { state.withLock { $0.waiting.count } }

  func add(_ realm: RealmID) {
    state.withLock { state in
      if !state.isClosed, state.waiting.insert(realm).inserted { state.order.append(realm) }
    }
    wake.yield()
  }

  /// Lets the trigger store its positions.
  func stir() { wake.yield() }

  /// Takes no further realm. Nobody waits any more.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      state.waiting = []
      state.order = []
      state.first = 0
      defer { state.idleWaiters = [] }
      return state.idleWaiters
    }
    for waiter in waiters { waiter.resume() }
    wake.finish()
  }

  /// Returns when nothing waits and nothing is looked at.
  func waitUntilIdle() async {
    await withCheckedContinuation { continuation in
      let isIdle = state.withLock { state in
        let isIdle = state.isClosed || (state.waiting.isEmpty && !state.isWorking)
        if !isIdle { state.idleWaiters.append(continuation) }
        return isIdle
      }
      if isIdle { continuation.resume() }
    }
  }

  /// Takes the works, one after the other, in one task.
  func makeWorks() -> Works { Works(queue: self, wakes: wakes.makeAsyncIterator()) }

  struct Works {
    fileprivate let queue: TriggerQueue
    fileprivate var wakes: AsyncStream<Void>.Iterator

    /// The next work; the one before is done. Nil when the task is cancelled, or the queue
    /// closed.
    mutating func next() async -> Work? {
      if Task.isCancelled { return nil }
      if let realm = queue.take() { return .realm(realm) }
      guard await wakes.next() != nil else { return nil }
      return queue.take().map { .realm($0) } ?? .nothing
    }
  }

  /// Takes the next realm. Without one nothing is looked at.
  private func take() -> RealmID? {
    let (realm, waiters) = state.withLock {
      state -> (RealmID?, [CheckedContinuation<Void, Never>]) in
      guard state.first < state.order.count else {
        state.order = []
        state.first = 0
        state.isWorking = false
        defer { state.idleWaiters = [] }
        return (nil, state.idleWaiters)
      }
      let realm = state.order[state.first]
      state.first += 1
      if state.first > 1_024, state.first * 2 > state.order.count {
        state.order.removeFirst(state.first)
        state.first = 0
      }
      state.waiting.remove(realm)
      state.isWorking = true
      return (realm, [])
    }
    for waiter in waiters { waiter.resume() }
    return realm
  }
}
#endif
