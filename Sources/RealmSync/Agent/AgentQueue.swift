// SPDX-License-Identifier: Apache-2.0

// The thread of an agent. An agent waits for the right to write and for the disk: a thread of the
// cooperative pool must not.
//
// 1. Jobs run one after the other, in the order of their arrival.
// 2. The queue lives until its last job has run; its thread ends afterwards.

import Dispatch
package import RealmStorage

/// The executor of a `SyncAgent`: a thread of its own.
package final class AgentQueue: SerialExecutor {
  private struct Entry: Sendable {
    let job: UnownedJob
    /// `AgentQueue` 2.
    let queue: AgentQueue
  }

  private struct State {
    var entries: [Entry] = []
    var isStopped = false
  }

  /// The state of the thread, without a reference to the queue.
  private final class Line: Sendable {
    let state = Locked(State())
    let count = DispatchSemaphore(value: 0)

    func add(_ entry: Entry) {
      state.withLock { $0.entries.append(entry) }
      count.signal()
    }

    func stop() {
      state.withLock { $0.isStopped = true }
      count.signal()
    }

    func run() {
      while true {
        count.wait()
        let entry = state.withLock { state -> Entry? in
          state.entries.isEmpty ? nil : state.entries.removeFirst()
        }
        if let entry {
          unsafe entry.job.runSynchronously(on: entry.queue.asUnownedSerialExecutor())
        } else if state.withLock({ $0.isStopped }) {
          return
        }
      }
    }
  }

  private let line = Line()

  /// Starts the thread.
  ///
  /// - Throws: `StorageError.threadUnavailable`.
  package init(path: String) throws(StorageError) {
    let line = line
    guard BackgroundThread.start(named: "realm-sync", { line.run() }) else {
      throw .threadUnavailable(path: path, purpose: "which synchronises it")
    }
  }

  deinit { line.stop() }

  /// Adds a job after the waiting ones.
  package func enqueue(_ job: consuming ExecutorJob) {
    line.add(Entry(job: UnownedJob(job), queue: self))
  }
}
