// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs heavy tests on threads of their own.
///
/// The cooperative pool has one thread for each processor, and a test that computes for seconds
/// keeps it. On threads beside the pool the operating system divides the processors fairly between
/// heavy tests and all others.
final class HeavyExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "heavy tests", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
