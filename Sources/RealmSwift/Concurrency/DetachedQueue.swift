// SPDX-License-Identifier: Apache-2.0

// `DetachedQueue`: an executor over a queue of the library, for code that may block.

import Dispatch

/// Runs the code of one actor on a serial queue, whose thread is not one of those that tasks share.
final class DetachedQueue: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
