// SPDX-License-Identifier: Apache-2.0

// An executor with a thread of its own, for tests whose actors block.

import Dispatch

/// An executor that runs an actor's jobs on a queue.
final class QueueExecutor: SerialExecutor {
  let queue = DispatchQueue(label: "queue of an actor")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
