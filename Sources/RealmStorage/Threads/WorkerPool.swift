// SPDX-License-Identifier: Apache-2.0

// Several cores for one piece of work.
//
// A scan of a million rows takes less time than Dispatch needs to wake a thread (half a millisecond
// and more was measured), so the pool has threads of its own, asleep at one word in memory: they
// work 20 microseconds after the call.
//
// Invariants:
// 1. One job runs at a time. A caller that comes meanwhile does its work alone and waits for no
//    other.
// 2. The caller begins at once, and waits at the end only for workers that have begun: these run
//    the engine's code, hold no lock and wait for nothing.

import CRealmPlatform
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Threads that help others with large pieces of work.
@safe
package final class WorkerPool: Sendable {
  private struct State {
    var isBusy = false
    var hasThreads = false
    var body: (@Sendable (Int) -> Void)?
    var nextWorker = 0
  }

  /// How many work at once at most: memory feeds no more than a few.
  private static let mostWorkers = 8

  /// As many workers as there are cores.
  package static let shared = WorkerPool(
    workerCount: min(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), mostWorkers))

  /// How many work at once, the calling thread among them.
  package let workerCount: Int
  private let state = Locked(State())
  // nonisolated(unsafe): addresses that never change, of atomics at which threads sleep. They are
  // never freed, as the threads never end.
  nonisolated(unsafe) private let jobs: UnsafeMutablePointer<Atomic<UInt32>>
  /// The threads that work.
  nonisolated(unsafe) private let active: UnsafeMutablePointer<Atomic<UInt32>>

  package init(workerCount: Int) {
    self.workerCount = max(workerCount, 1)
    unsafe jobs = .allocate(capacity: 1)
    unsafe jobs.initialize(to: Atomic(0))
    unsafe active = .allocate(capacity: 1)
    unsafe active.initialize(to: Atomic(0))
  }

  /// Calls `body` with 0 on this thread, and with other numbers below `workerCount` on others, each
  /// at most once. Returns when all calls have ended.
  ///
  /// The body shares out the work: there may be no call but the first.
  package func run(_ body: @Sendable (Int) -> Void) {
    guard workerCount > 1, begin() else { return body(0) }
    withoutActuallyEscaping(body) { body in
      state.withLock {
        $0.body = body
        $0.nextWorker = 1
      }
      unsafe jobs.pointee.add(1, ordering: .sequentiallyConsistent)
      unsafe realm_wake_word(UnsafeRawPointer(jobs), false)
      body(0)
      state.withLock { $0.body = nil }
      waitForOthers()
    }
    state.withLock { $0.isBusy = false }
  }

  /// Whether the pool is free, and this thread's from now on.
  private func begin() -> Bool {
    let (isMine, needsThreads) = state.withLock { state in
      if state.isBusy { return (false, false) }
      state.isBusy = true
      defer { state.hasThreads = true }
      return (true, !state.hasThreads)
    }
    if needsThreads {
      for _ in 1..<workerCount {
        // With fewer threads the caller does more itself.
        _ = BackgroundThread.start(named: "Realm worker") { self.work() }
      }
    }
    return isMine
  }

  // MARK: Waiting

  /// A little longer than what is left of a part when the caller has none to take.
  private static let spinCount = 20_000

  private func waitForOthers() {
    for _ in 0..<Self.spinCount where unsafe active.pointee.load(ordering: .acquiring) == 0 {
      return
    }
    while true {
      let count = unsafe active.pointee.load(ordering: .acquiring)
      if count == 0 { return }
      unsafe realm_wait_on_word(UnsafeRawPointer(active), count, 1_000_000_000, false)
    }
  }

  /// The loop of a thread of the pool, which has no end.
  private func work() {
    var seen: UInt32 = 0
    while true {
      let job = unsafe jobs.pointee.load(ordering: .acquiring)
      if job == seen {
        unsafe realm_wait_on_word(UnsafeRawPointer(jobs), seen, -1, false)
        continue
      }
      seen = job
      guard takePart() else { continue }
      unsafe active.pointee.subtract(1, ordering: .sequentiallyConsistent)
      unsafe realm_wake_word(UnsafeRawPointer(active), false)
    }
  }

  /// Does what one worker does of the job; false if there is none.
  private func takePart() -> Bool {
    let work = state.withLock { state -> (body: @Sendable (Int) -> Void, worker: Int)? in
      guard let body = state.body, state.nextWorker < workerCount else { return nil }
      defer { state.nextWorker += 1 }
      unsafe active.pointee.add(1, ordering: .sequentiallyConsistent)
      return (body, state.nextWorker)
    }
    guard let work else { return false }
    work.body(work.worker)
    return true
  }
}
