// SPDX-License-Identifier: Apache-2.0

// The thread of a `RealmThreadExecutor`, whose pointer says whether code runs on it.

import CRealmPlatform
import Dispatch
import RealmStorage

/// A thread and its queue of jobs.
package final class ExecutorThread: Sendable {
  private let thread = JobThread()
  /// The pointer of the thread; 0 before it runs and after it has ended.
  private let pointer = Locked<UInt>(0)

  /// The threads of living executors, by their executors' addresses.
  private static let threads = Locked<[UInt: UInt]>([:])

  /// The pointer of the thread that the executor at an address owns; 0 if it owns none.
  static func pointer(ofExecutor address: UInt) -> UInt {
    threads.withLock { $0[address] ?? 0 }
  }

  package init() {}

  package var isCurrent: Bool { pointer.withLock { $0 } == realm_thread_pointer() }

  /// Starts the thread for the executor at an address, and waits until it runs. Traps if the system
  /// cannot create a thread: jobs cannot be refused.
  package func start(name: String, executor: UInt) {
    let hasStarted = DispatchSemaphore(value: 0)
    let isStarted = thread.start(named: name) { [pointer] in
      let own = realm_thread_pointer()
      pointer.withLock { $0 = own }
      ExecutorThread.threads.withLock { $0[executor] = own }
      hasStarted.signal()
    } end: { [pointer] in
      let own = realm_thread_pointer()
      // A new executor may have the address already, but then not this thread.
      ExecutorThread.threads.withLock { if $0[executor] == own { $0[executor] = nil } }
      pointer.withLock { $0 = 0 }
    }
    guard isStarted else {
      throwRealmException(
        "No thread could be started for the RealmThreadExecutor '\(name)'. End threads or "
          + "processes, or raise their limit (ulimit -u).")
    }
    hasStarted.wait()
  }

  package func add(_ job: UnownedJob, for executor: any SerialExecutor) {
    thread.add(job, for: executor)
  }

  /// Lets the thread end when its jobs are done.
  package func stop() { thread.stop() }
}
