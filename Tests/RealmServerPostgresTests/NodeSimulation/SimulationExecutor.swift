// SPDX-License-Identifier: Apache-2.0

// The jobs of all nodes of a simulation, of which the simulation picks the next.
//
// Invariants:
// 1. The jobs of one `ThreadExecutor` run in their order. All others may run in any order, as on
//    the threads of a pool.
// 2. A job belongs to the process whose code has added it, and runs in its name.

#if Postgres
import RealmStorage

/// The waiting jobs of a simulation.
final class SimulationExecutor: TaskExecutor, @unchecked Sendable {
  // Sendable: the thread of the simulation alone uses it (`GlobalExecutorHook`).

  private struct Job {
    let job: UnownedJob
    /// Nil for those of the pool.
    let thread: ThreadExecutor?
    let process: Int
  }

  private var jobs: [Job] = []
  /// The number of the process whose code runs.
  private(set) var process = 0
  /// The number of jobs that were run.
  private(set) var runCount = 0

  func enqueue(_ job: consuming ExecutorJob) { add(UnownedJob(job)) }

  /// Adds a job of the pool.
  func add(_ job: UnownedJob) { jobs.append(Job(job: job, thread: nil, process: process)) }

  /// A thread of the process whose code runs.
  func thread() -> ThreadExecutor {
    ThreadExecutor { [unowned self] job, thread in
      jobs.append(Job(job: job, thread: thread, process: process))
    }
  }

  /// Calls `body` in the name of a process.
  func inProcess<R>(_ number: Int, _ body: () throws -> R) rethrows -> R {
    let former = process
    process = number
    defer { process = former }
    return try body()
  }

  /// The positions of the jobs that may run next, but for those of some processes.
  func ready(except blocked: [Int]) -> [Int] {
    var ready: [Int] = []
    var threads: [ThreadExecutor] = []
    for index in jobs.indices {
      if let thread = jobs[index].thread {
        if threads.contains(where: { $0 === thread }) { continue }
        threads.append(thread)
      }
      if !blocked.contains(jobs[index].process) { ready.append(index) }
    }
    return ready
  }

  /// The position of the next job of a process; nil if it has none.
  func next(of process: Int) -> Int? { jobs.firstIndex { $0.process == process } }

  /// The process of the job at a position.
  func process(at index: Int) -> Int { jobs[index].process }

  /// Runs the job at a position.
  func run(at index: Int) {
    let job = jobs.remove(at: index)
    runCount += 1
    inProcess(job.process) {
      if let thread = job.thread {
        job.job.runSynchronously(on: thread.asUnownedSerialExecutor())
      } else {
        job.job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }
}
#endif
