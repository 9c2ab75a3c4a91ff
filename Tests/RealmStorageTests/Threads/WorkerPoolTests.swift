// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmStorage

struct WorkerPoolTests {
  @Test(arguments: [1, 2, 3, 8]) func eachWorkerIsCalledAtMostOnceAndTheCallerAlways(
    workerCount: Int
  ) {
    let pool = WorkerPool(workerCount: workerCount)
    for _ in 0..<300 {
      let calls = Locked([Int](repeating: 0, count: workerCount))
      pool.run { worker in calls.withLock { $0[worker] += 1 } }
      let counts = calls.withLock { $0 }
      expectEqual(counts[0], 1)
      #expect(counts.allSatisfy { $0 <= 1 })
    }
  }

  /// `WorkerPool` 2.
  @Test func nothingRunsAfterTheCallHasReturned() {
    let pool = WorkerPool(workerCount: 4)
    let isOver = Locked(false)
    let late = Locked(0)
    for _ in 0..<500 {
      isOver.withLock { $0 = false }
      pool.run { _ in
        if isOver.withLock({ $0 }) { late.withLock { $0 += 1 } }
      }
      isOver.withLock { $0 = true }
    }
    expectEqual(late.withLock { $0 }, 0)
  }

  /// `WorkerPool` 2: the call waits for a worker that has begun.
  @Test func theCallReturnsAfterASlowerWorker() {
    let pool = WorkerPool(workerCount: 2)
    let hasBegun = Handover<Bool>()
    let isDone = Locked(false)
    pool.run { worker in
      if worker == 0 {
        _ = hasBegun.wait()
        return
      }
      hasBegun.give(true)
      Thread.sleep(forTimeInterval: 0.05)
      isDone.withLock { $0 = true }
    }
    expectTrue(isDone.withLock { $0 })
  }

  @Test func otherThreadsHelp() {
    let pool = WorkerPool(workerCount: 2)
    // The caller waits for the other worker: without it, this test would not end.
    let isHelped = Handover<Bool>()
    pool.run { worker in
      if worker == 0 { _ = isHelped.wait() } else { isHelped.give(true) }
    }
    expectTrue(isHelped.wait())
  }

  /// `WorkerPool` 1.
  @Test func whoComesWhileThePoolIsBusyWorksAlone() {
    let pool = WorkerPool(workerCount: 2)
    let inner = Locked<[Int]>([])
    pool.run { worker in
      guard worker == 0 else { return }
      pool.run { worker in inner.withLock { $0.append(worker) } }
    }
    expectEqual(inner.withLock { $0 }, [0])
  }

  @Test func manyCallersShareOnePool() async {
    let pool = WorkerPool(workerCount: 3)
    let sum = Locked(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<100 {
            let next = Locked(0)
            pool.run { _ in
              func takesNext() -> Bool {
                next.withLock { (next: inout Int) -> Bool in
                  defer { next += 1 }
                  return next < 10
                }
              }
              while takesNext() { sum.withLock { $0 += 1 } }
            }
          }
        }
      }
    }
    let total = sum.withLock { $0 }
    expectEqual(total, 8_000)
  }
}
