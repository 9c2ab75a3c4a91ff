// SPDX-License-Identifier: Apache-2.0

// The thread of a `RealmThreadExecutor`: runs jobs in order, sleeps when there are none.
//
// Invariants:
// 1. A waiting or running job keeps its executor, so that the actor can be released inside a job.
// 2. Only the thread takes jobs. It sleeps only while the list is empty, and the first caller to
//    add a job wakes it.

import CRealmPlatform
import Dispatch
import RealmStorage

/// A thread and its queue of jobs.
package final class ExecutorThread: Sendable {
  private struct Job {
    let job: UnownedJob
    let executor: any SerialExecutor
  }

  private struct State {
    var jobs: [Job] = []
    var isAsleep = false
    var isStopped = false
    /// The pointer of the thread; 0 before it runs and after it has ended.
    var pointer: UInt = 0
  }

  private let state = Locked(State())
  private let alarm = DispatchSemaphore(value: 0)

  /// The threads of living executors, by their executors' addresses.
  private static let threads = Locked<[UInt: UInt]>([:])

  /// The pointer of the thread that the executor at an address owns; 0 if it owns none.
  static func pointer(ofExecutor address: UInt) -> UInt {
    threads.withLock { $0[address] ?? 0 }
  }

  package init() {}

  package var isCurrent: Bool { state.withLock { $0.pointer } == realm_thread_pointer() }

  /// Starts the thread for the executor at an address, and waits until it runs. Traps if the system
  /// cannot create a thread: jobs cannot be refused.
  package func start(name: String, executor: UInt) {
    let hasStarted = DispatchSemaphore(value: 0)
    let isStarted = BackgroundThread.start(named: name) { [self] in
      let pointer = realm_thread_pointer()
      state.withLock { $0.pointer = pointer }
      ExecutorThread.threads.withLock { $0[executor] = pointer }
      hasStarted.signal()
      run()
      // A new executor may have the address already, but then not this thread.
      ExecutorThread.threads.withLock { if $0[executor] == pointer { $0[executor] = nil } }
      state.withLock { $0.pointer = 0 }
    }
    guard isStarted else {
      throwRealmException(
        "No thread could be started for the RealmThreadExecutor '\(name)'. End threads or "
          + "processes, or raise their limit (ulimit -u).")
    }
    hasStarted.wait()
  }

  package func add(_ job: UnownedJob, for executor: any SerialExecutor) {
    let wakes = state.withLock { state in
      state.jobs.append(Job(job: job, executor: executor))
      defer { state.isAsleep = false }
      return state.isAsleep
    }
    if wakes { alarm.signal() }
  }

  /// Lets the thread end when its jobs are done.
  package func stop() {
    let wakes = state.withLock { state in
      state.isStopped = true
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
