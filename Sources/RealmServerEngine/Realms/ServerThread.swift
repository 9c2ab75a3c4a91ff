// SPDX-License-Identifier: Apache-2.0

// Threads for blocking calls of realms: the cooperative pool's must not block (rule SY9).

import RealmStorage
import Synchronization

/// An executor with a thread of its own. Several realms may share one.
///
/// Traps if the system has no thread.
package final class ServerThread: SerialExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var sleeper: Handover<Bool>?
    var isStopped = false
  }

  private let state: Locked<State>

  package init() {
    let state = Locked(State())
    self.state = state
    let isStarted = BackgroundThread.start(named: "Realm server") { [weak self] in
      unsafe ServerThread.run(state) { unsafe self?.asUnownedSerialExecutor() }
    }
    precondition(isStarted, "the system has no thread for a realm")
  }

  deinit {
    let sleeper = state.withLock { state in
      state.isStopped = true
      defer { state.sleeper = nil }
      return state.sleeper
    }
    sleeper?.give(false)
  }

  /// Runs a job after the waiting ones.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let sleeper = state.withLock { state in
      state.jobs.append(job)
      defer { state.sleeper = nil }
      return state.sleeper
    }
    sleeper?.give(true)
  }

  private static func run(
    _ state: Locked<State>, _ executor: () -> UnownedSerialExecutor?
  ) {
    while true {
      let (jobs, sleeper, isStopped) = state.withLock {
        state -> ([UnownedJob], Handover<Bool>?, Bool) in
        let jobs = state.jobs
        state.jobs = []
        if jobs.isEmpty, !state.isStopped { state.sleeper = Handover() }
        return (jobs, state.sleeper, state.isStopped)
      }
      if jobs.isEmpty {
        guard !isStopped, let sleeper else { return }
        _ = sleeper.wait()
        continue
      }
      guard let executor = unsafe executor() else { return }
      for job in jobs { unsafe job.runSynchronously(on: executor) }
    }
  }
}
