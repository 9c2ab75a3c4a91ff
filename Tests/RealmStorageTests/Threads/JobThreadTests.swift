// SPDX-License-Identifier: Apache-2.0

// Threads that run the jobs of actors.

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmStorage

struct JobThreadTests {
  private actor Counter {
    private nonisolated let executor = ThreadExecutor(named: "counter")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private(set) var count = 0

    func add() { count += 1 }
  }

  /// `JobThread` 3: a job that nobody wakes the thread for would be waited for without end.
  @Test(.timeLimit(.minutes(10))) func theThreadIsWokenForEachJob() async {
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for number in 0..<150 {
            await counter.add()
            if number % 3 == 0 { await Task.yield() }
          }
        }
      }
    }
    await expectEqual(counter.count, 600)
  }

  /// An executor that hands each job to the thread for an executor that only the job keeps.
  private final class Front: SerialExecutor {
    final class Inner: SerialExecutor {
      func enqueue(_ job: consuming ExecutorJob) { preconditionFailure("no job comes here") }
    }

    private struct Last {
      weak var inner: Inner?
    }

    private let thread = JobThread()
    private let last = Locked(Last())

    init() { #expect(thread.start(named: "front")) }

    deinit { thread.stop() }

    var isKept: Bool { last.withLock { $0.inner != nil } }

    func enqueue(_ job: consuming ExecutorJob) {
      let inner = Inner()
      last.withLock { $0.inner = inner }
      thread.add(UnownedJob(job), for: inner)
    }
  }

  private actor Watcher {
    nonisolated let executor = Front()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func isKept() -> Bool { executor.isKept }
  }

  /// `JobThread` 2.
  @Test func aJobKeepsItsExecutor() async {
    let watcher = Watcher()
    for _ in 0..<3 { #expect(await watcher.isKept()) }
  }
}
