// SPDX-License-Identifier: Apache-2.0

// An executor for actors that may block: reading files, sorting, commits, blocks of the program.

package import Dispatch

/// Runs the code of one actor on a serial queue, whose thread is not one of those that tasks share.
package final class QueueExecutor: SerialExecutor {
  package let queue: DispatchQueue

  package init(label: String = "queue of an actor") { queue = DispatchQueue(label: label) }

  /// Adds a job after the waiting ones.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// Traps unless the caller runs on the queue.
  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
