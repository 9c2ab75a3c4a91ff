// SPDX-License-Identifier: Apache-2.0

// An executor for actors that wait for the right to write and for the disk: a thread of the
// cooperative pool must not (rule SY9).

/// Runs the code of one actor, or of several, on a thread of its own.
package final class ThreadExecutor: SerialExecutor {
  private let thread = JobThread()

  /// Starts the thread. Traps if the system has none.
  package init(named name: String = "realm-executor") {
    let isStarted = thread.start(named: name)
    precondition(isStarted, "the system has no thread for \(name)")
  }

  /// Starts the thread of an actor that a file needs.
  ///
  /// - Parameter purpose: The actor's work, as the message of the error says it.
  /// - Throws: `StorageError.threadUnavailable`.
  package init(named name: String, path: String, purpose: String) throws(StorageError) {
    guard thread.start(named: name) else {
      throw .threadUnavailable(path: path, purpose: purpose)
    }
  }

  deinit { thread.stop() }

  /// Adds a job after the waiting ones.
  package func enqueue(_ job: consuming ExecutorJob) { thread.add(UnownedJob(job), for: self) }
}
