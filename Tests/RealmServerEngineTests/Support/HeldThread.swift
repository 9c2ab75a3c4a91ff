// SPDX-License-Identifier: Apache-2.0

// A thread that does nothing until a test lets it.

import RealmStorage

/// Keeps the jobs of an executor; a test runs them, one by one.
final class HeldThread: Sendable {
  private let jobs: Locked<[UnownedJob]>
  let executor: ThreadExecutor

  init() {
    let jobs = Locked<[UnownedJob]>([])
    self.jobs = jobs
    executor = ThreadExecutor { job, _ in jobs.withLock { $0.append(job) } }
  }

  /// Whether a job waits.
  var hasJob: Bool { jobs.withLock { !$0.isEmpty } }

  /// Runs the first of the jobs that wait.
  func runOne() {
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return }
    unsafe job.runSynchronously(on: executor.asUnownedSerialExecutor())
  }
}
