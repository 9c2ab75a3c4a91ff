// SPDX-License-Identifier: Apache-2.0

// A thread that runs the jobs of executors in order, and sleeps when there are none.
//
// Invariants:
// 1. Jobs run one after the other, in the order of their arrival.
// 2. A waiting or running job keeps its executor, so that the actor can be released inside a job.
// 3. Only the thread takes jobs. It sleeps only while the list is empty, and the first caller to
//    add a job wakes it.

import Dispatch

/// A thread and its jobs.
package final class JobThread: Sendable {
  private struct Job {
    let job: UnownedJob
    let executor: any SerialExecutor
  }

  private struct State {
    var jobs: [Job] = []
    var isAsleep = false
    var isStopped = false
  }

  private let state = Locked(State())
  private let alarm = DispatchSemaphore(value: 0)

  package init() {}

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - begin: Runs on the thread before all jobs.
  ///   - end: Runs on the thread after `stop()` and the last job.
  /// - Returns: False if the system has no thread to give.
  package func start(
    named name: String, begin: @escaping @Sendable () -> Void = {},
    end: @escaping @Sendable () -> Void = {}
  ) -> Bool {
    BackgroundThread.start(named: name) { [self] in
      begin()
      run()
      end()
    }
  }

  /// Adds a job after the waiting ones.
  package func add(_ job: UnownedJob, for executor: any SerialExecutor) {
    wake { $0.jobs.append(Job(job: job, executor: executor)) }
  }

  /// Lets the thread end when its jobs are done.
  package func stop() { wake { $0.isStopped = true } }

  private func wake(_ change: (inout State) -> Void) {
    let wakes = state.withLock { state in
      change(&state)
      defer { state.isAsleep = false }
      return state.isAsleep
    }
    if wakes { alarm.signal() }
  }

  private func run() {
    while true {
      let (jobs, isStopped) = state.withLock { state -> ([Job], Bool) in
        defer { state.jobs = [] }
        if state.jobs.isEmpty, !state.isStopped { state.isAsleep = true }
        return (state.jobs, state.isStopped)
      }
      for job in jobs {
        unsafe job.job.runSynchronously(on: job.executor.asUnownedSerialExecutor())
      }
      if !jobs.isEmpty { continue }
      if isStopped { return }
      alarm.wait()
    }
  }
}
