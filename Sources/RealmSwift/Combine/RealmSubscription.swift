// SPDX-License-Identifier: Apache-2.0

// `RealmSubscription`: connects an observer, or the opening of a realm, to its Combine subscriber.
//
// Invariants:
// 1. What was begun ends when the subscription is cancelled, also if that happens while it begins.
// 2. A subscriber is called neither after its subscription was cancelled, nor after the end.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import RealmStorage

/// The observation, or the opening of a realm, for one subscriber.
final class RealmSubscription: Subscription, @unchecked Sendable {
  // @unchecked: what was begun is kept and taken under the lock, and may be ended on any thread.
  private enum State {
    case waiting
    case going(any Cancellable)
    case ended
  }

  private let state = Locked<State>(.waiting)

  var isEnded: Bool {
    state.withLock { state in if case .ended = state { true } else { false } }
  }

  /// Begins, unless the subscription was cancelled already.
  func begin(_ begin: () -> any Cancellable) {
    if isEnded { return }
    let begun = begin()
    let isNeedless = state.withLock { state in
      if case .ended = state { return true }
      state = .going(begun)
      return false
    }
    // It was cancelled meanwhile, or it has ended already, and then nothing happens.
    if isNeedless { begun.cancel() }
  }

  /// Ends the subscription.
  ///
  /// - Returns: Whether it was going on until now.
  func end() -> Bool {
    // What is replaced is released after the lock.
    let old = state.withLock { state in
      defer { state = .ended }
      return state
    }
    switch old {
    case .waiting: return true
    case .going(let begun):
      begun.cancel()
      return true
    case .ended: return false
    }
  }

  /// Does nothing: values are delivered as they come.
  func request(_ demand: Subscribers.Demand) {}

  func cancel() { _ = end() }
}
#endif
