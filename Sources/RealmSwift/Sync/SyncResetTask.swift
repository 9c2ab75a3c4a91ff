// SPDX-License-Identifier: Apache-2.0

// The task of an automatic reset: it begins with an error of the server, and ends with a session
// that goes on, or with an error for the program.
//
// 1. A session has at most one; it is known to the core until it is over.
// 2. A cancelled one leaves the session as it was. When that is resumed, the server asks for the
//    reset again, which goes on with what was downloaded.

#if Sync
import RealmStorage
import RealmSync
import RealmSyncProtocol

/// An automatic reset that is under way.
final class SyncResetTask: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
    /// Whether the session is to be resumed when a cancelled reset is over.
    var resumes = false
    var isOver = false
  }

  private let core: SyncSessionCore
  private let reset: AutomaticReset
  private let state = Locked(State())

  init(_ core: SyncSessionCore, _ reset: AutomaticReset) {
    self.core = core
    self.reset = reset
  }

  func begin() {
    state.withLock { state in
      assert(state.task == nil && !state.isOver, "`SyncResetTask` 1: a reset begins once")
      state.task = Task { await self.run() }
      if state.isCancelled { state.task?.cancel() }
    }
  }

  /// Ends the reset, unless the fresh copy is there.
  func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.task?.cancel()
    }
  }

  /// Resumes the session when the reset is over; false if it is.
  func resumeWhenOver() -> Bool {
    state.withLock { state in
      if state.isOver { return false }
      state.resumes = true
      return true
    }
  }

  /// Waits until the reset is over.
  func untilOver() async { await state.withLock { $0.task }?.value }

  private func run() async {
    do throws(ResetError) {
      try await reset.run()
      let resumes = finish()
      core.goOnAfterReset()
      // It was suspended meanwhile, and is not any more.
      if resumes { core.resume() }
    } catch {
      let wasCancelled = error == .cancelled
      let resumes = finish() && wasCancelled
      if resumes { return core.resume() }
      if wasCancelled { return }
      guard reset.wanted != nil else { return core.failAdoption(reset.cause, error) }
      let report = await core.manualReset(
        reset.cause,
        "The automatic client reset failed: \(error). The server had asked for it: "
          + reset.cause.document.message)
      report()
    }
  }

  /// Returns whether the session was to be resumed meanwhile.
  private func finish() -> Bool {
    core.resetIsOver()
    return state.withLock { state in
      assert(!state.isOver, "`SyncResetTask` 1: a reset ends once")
      state.isOver = true
      return state.resumes
    }
  }
}
#endif
