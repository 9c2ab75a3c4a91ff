// SPDX-License-Identifier: Apache-2.0

// An executor with a thread of its own, for tests whose actors block.

package import Dispatch

/// An executor that runs an actor's jobs on a queue.
package final class QueueExecutor: SerialExecutor {
  package let queue = DispatchQueue(label: "queue of an actor")

  package init() {}

  /// Enqueues a job after those that wait already.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Traps unless the caller runs on the queue.
  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
