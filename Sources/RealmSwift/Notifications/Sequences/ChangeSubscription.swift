// SPDX-License-Identifier: Apache-2.0

// Connects an observation to the task that reads a sequence of changes.
//
// Invariants:
// 1. At most one change waits, however slow the reader: later ones are joined with it.
// 2. A change that the reader gets leads from what it got before to what the realm shows at that
//    time.
// 3. Everything but the waiting happens where the realm lives. The waiting task may be woken, and
//    cancelled, on any thread.

import RealmSession
import RealmStorage
import RealmTables

/// The observation of one iterator over changes; it ends with this instance.
final class ChangeSubscription {
  /// The changes that the observer adds and the reader takes.
  private final class Mailbox {
    var pending = PendingChange()
    let waiter = Waiter()
  }

  private let core: RealmCore
  private let observation: Observation
  private let mailbox = Mailbox()

  init(
    _ source: Locator, keyPaths: [String]?, of core: RealmCore,
    valuesBefore: (([ColumnKey]) -> [Any?])? = nil
  ) {
    self.core = core
    let mailbox = mailbox
    var handler = Observation.Handler(valuesBefore: valuesBefore) { change, before in
      mailbox.pending.add(change, before)
      mailbox.waiter.wake()
    }
    handler.ended = {
      mailbox.pending.end()
      mailbox.waiter.wake()
    }
    observation = core.observe(source, keyPaths: keyPaths, handler)
  }

  deinit { observation.cancel() }

  /// The observation, for results that take over what it has seen.
  var observed: Observation { observation }

  /// The next change; nil when nothing follows, or the task is cancelled.
  func next(
    isolation actor: isolated (any Actor)?
  ) async -> (change: ObservedChange, valuesBefore: [Any?])? {
    core.checkIsolation()
    while true {
      if Task.isCancelled {
        observation.cancel()
        mailbox.pending.end()
        return nil
      }
      if !mailbox.pending.isEmpty {
        // The realm may have advanced since the change was reported.
        core.bringUpToDate(observation)
        if let next = mailbox.pending.take() { return next }
      }
      if mailbox.pending.isLast { return nil }
      await mailbox.waiter.wait(isolation: actor)
    }
  }

  /// Suspends the reader until a change arrives.
  private final class Waiter: Sendable {
    private enum State {
      case idle
      case woken
      case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Locked(State.idle)

    /// Wakes the reader, or keeps it from falling asleep.
    func wake() {
      let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
        if case .waiting(let continuation) = state {
          state = .idle
          return continuation
        }
        state = .woken
        return nil
      }
      continuation?.resume()
    }

    /// Sleeps until woken, or until the task is cancelled.
    func wait(isolation actor: isolated (any Actor)?) async {
      await withTaskCancellationHandler(
        operation: {
          await withCheckedContinuation(isolation: actor) { continuation in
            let isWoken = state.withLock { state in
              guard case .idle = state else {
                state = .idle
                return true
              }
              state = .waiting(continuation)
              return false
            }
            if isWoken { continuation.resume() }
          }
        }, onCancel: { wake() }, isolation: actor)
    }
  }
}
