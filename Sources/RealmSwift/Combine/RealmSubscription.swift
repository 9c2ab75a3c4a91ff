// SPDX-License-Identifier: Apache-2.0

// `RealmSubscription`: connects an observer to its Combine subscriber.
//
// Invariants:
// 1. The observation ends when the subscription is cancelled, also if that happens while it begins.
// 2. A subscriber hears nothing after its subscription was cancelled, or after the end.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import RealmStorage

/// The observation of one subscriber.
final class RealmSubscription: Subscription {
  private enum State {
    case waiting
    case going(NotificationToken)
    case cancelled
  }

  private let state = Locked<State>(.waiting)

  var isCancelled: Bool {
    state.withLock { state in if case .cancelled = state { true } else { false } }
  }

  /// Observes, unless the subscription was cancelled already.
  func begin(_ observe: () -> NotificationToken) {
    if isCancelled { return }
    let token = observe()
    let wasCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .going(token)
      return false
    }
    if wasCancelled { token.invalidate() }
  }

  /// Does nothing: changes are delivered as they happen.
  func request(_ demand: Subscribers.Demand) {}

  func cancel() {
    // The replaced token is released after the lock.
    let old = state.withLock { state in
      defer { state = .cancelled }
      return state
    }
    if case .going(let token) = old { token.invalidate() }
  }
}
#endif
