// SPDX-License-Identifier: Apache-2.0

// `RealmThreadExecutor`: an executor that gives an actor a thread of its own.

import RealmSession

/// Runs the code of one actor, or of a few, on a thread that nothing else uses.
///
/// Most actors need none: the default executor suspends them well. It is for actors that block
/// (large synchronous writes, calls into other libraries), which would take a thread away from all
/// other tasks, and for those that read very many properties: realms of such an actor check that
/// they are used in the right place by comparing threads, as realms of a thread do, instead of
/// determining which executor runs.
///
/// ```swift
/// actor Importer {
///   private nonisolated let executor = RealmThreadExecutor(name: "importer")
///   nonisolated var unownedExecutor: UnownedSerialExecutor {
///     executor.asUnownedSerialExecutor()
///   }
///   private var realm: Realm!
///
///   func open() async throws { realm = try await Realm(actor: self) }
/// }
/// ```
///
/// The actor must keep its executor. The thread ends when the executor goes away and all jobs are
/// done. Observers on the actor, asynchronous writes and sequences of changes work as on any actor.
public final class RealmThreadExecutor: SerialExecutor {
  private let thread: ExecutorThread

  /// Starts the thread. Traps if the system cannot create one.
  ///
  /// - Parameter name: The name in debuggers; on Linux its first 15 characters.
  public init(name: String = "realm-executor") {
    thread = ExecutorThread()
    thread.start(name: name, executor: UInt(bitPattern: ObjectIdentifier(self)))
  }

  deinit { thread.stop() }

  /// Whether the caller runs on the thread of this executor.
  public var isCurrent: Bool { thread.isCurrent }

  /// Enqueues a job after those that wait already.
  public func enqueue(_ job: consuming ExecutorJob) { thread.add(UnownedJob(job), for: self) }

  /// Whether the caller is isolated to the actors of this executor, for the checks of the runtime.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Traps unless the caller runs on the thread of this executor.
  public func checkIsolated() {
    if !isCurrent {
      throwRealmException("Code of an actor runs outside of the thread of its RealmThreadExecutor.")
    }
  }
}
