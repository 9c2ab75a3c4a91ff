// SPDX-License-Identifier: Apache-2.0

// An executor for tasks of shipped code in simulations.

import RealmStorage

/// Keeps the jobs of tasks until it is asked to run them.
final class ManualExecutor: TaskExecutor {
  private let jobs = Locked<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  var hasJobs: Bool { jobs.withLock { !$0.isEmpty } }

  /// Runs the waiting jobs, and the jobs added by them.
  func run() {
    while true {
      let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      guard let job else { return }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
