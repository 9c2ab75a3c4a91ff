// SPDX-License-Identifier: Apache-2.0

// An executor over a queue of Studio's, for work that may block: reading files, sorting, commits.

#if Tools
import Dispatch

/// Runs the code of one file's actor on a serial queue.
final class StudioQueue: SerialExecutor {
  private let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
#endif
