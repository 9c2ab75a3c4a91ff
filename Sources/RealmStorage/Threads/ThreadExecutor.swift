// SPDX-License-Identifier: Apache-2.0

// An executor for actors that wait for the right to write and for the disk: a thread of the
// cooperative pool must not (rule SY9).

/// Runs the code of one actor, or of several, on a thread of its own.
package final class ThreadExecutor: SerialExecutor {
  /// Takes the jobs of an executor without a thread.
  package typealias Taker = @Sendable (UnownedJob, ThreadExecutor) -> Void

  private enum Jobs {
    case run(by: JobThread)
    case taken(by: Taker)
  }

  private let jobs: Jobs

  /// Starts the thread. Traps if the system has none.
  package init(named name: String = "realm-executor") {
    let thread = JobThread()
    let isStarted = thread.start(named: name)
    precondition(isStarted, "the system has no thread for \(name)")
    jobs = .run(by: thread)
  }

  /// Starts the thread of an actor that a file needs.
  ///
  /// - Parameter purpose: The actor's work, as the message of the error says it.
  /// - Throws: `StorageError.threadUnavailable`.
  package init(named name: String, path: String, purpose: String) throws(StorageError) {
    let thread = JobThread()
    guard thread.start(named: name) else {
      throw .threadUnavailable(path: path, purpose: purpose)
    }
    jobs = .run(by: thread)
  }

  /// An executor without a thread, for simulations that choose which job is next.
  ///
  /// - Parameter taker: Takes the jobs in their order, and runs them in this order, one at a time.
  package init(jobsTakenBy taker: @escaping Taker) { jobs = .taken(by: taker) }

  deinit { if case .run(let thread) = jobs { thread.stop() } }

  /// Adds a job after the waiting ones.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    switch jobs {
    case .run(let thread): thread.add(job, for: self)
    case .taken(let taker): taker(job, self)
    }
  }
}
