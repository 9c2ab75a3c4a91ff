// SPDX-License-Identifier: Apache-2.0

// The hook of the concurrency runtime through which one thread keeps its jobs for itself.
//
// Unstructured tasks and default actors take no executor of their creator: their jobs go to the
// pool of the process. The runtime has a hook before the pool for replacing it. This one takes the
// jobs that are added by a thread of a simulation, and lets those of all other threads pass. As all
// that resumes such a job happens on the same thread, none of them leaves it.

#if Postgres
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Leads the jobs that a thread adds to the global executor to a simulation.
enum GlobalExecutorHook {
  private typealias Original = @convention(thin) (UnownedJob) -> Void
  private typealias Hook = @convention(thin) (UnownedJob, Original) -> Void

  /// What a thread has under it is its `SimulationExecutor`.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let code = pthread_key_create(&key, nil)
    precondition(code == 0, "the system has no key for a thread")
    return key
  }()

  /// Whether the runtime has the hook, which is in its place from then on.
  private static let isInstalled: Bool = {
    guard let symbol = dlsym(dlopen(nil, RTLD_LAZY), "swift_task_enqueueGlobal_hook") else {
      return false
    }
    let hook = symbol.assumingMemoryBound(to: Hook?.self)
    hook.pointee = { job, original in
      guard let taker = pthread_getspecific(GlobalExecutorHook.key) else {
        return original(job)
      }
      // The executor lives as long as `run` has it under the key.
      Unmanaged<SimulationExecutor>.fromOpaque(taker).takeUnretainedValue().add(job)
    }
    return true
  }()

  /// Calls `body`, whose thread's jobs `executor` takes meanwhile.
  static func run<R>(_ executor: SimulationExecutor, _ body: () throws -> R) rethrows -> R {
    precondition(isInstalled, "the runtime has no hook for jobs")
    pthread_setspecific(key, Unmanaged.passUnretained(executor).toOpaque())
    defer {
      pthread_setspecific(key, nil)
      withExtendedLifetime(executor) {}
    }
    return try body()
  }
}
#endif
