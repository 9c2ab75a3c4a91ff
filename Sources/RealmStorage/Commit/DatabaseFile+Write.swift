// SPDX-License-Identifier: Apache-2.0

// The right to write: waiting for it, giving it up, and sessions without it after a failed sync.

import CRealmPlatform
import Synchronization

extension DatabaseFile {
  /// Begins a write transaction; the calling thread sleeps until it is its turn.
  package func beginWrite() throws(StorageError) -> WriteTransaction {
    try beginWrite(keepingBusy: { [WriterPlace(identity: realm_thread_pointer())] })
  }

  /// Begins a write transaction; the calling thread sleeps until it is its turn.
  ///
  /// - Parameter places: What the thread keeps busy meanwhile, itself among it: writers that are to
  ///   run there let it go first. Not called if the right to write is free.
  package func beginWrite(
    keepingBusy places: () -> [WriterPlace]
  ) throws(StorageError) -> WriteTransaction {
    try requireOwnProcess()
    return try writers.begin(on: self, keepingBusy: places)
  }

  /// Begins a write transaction on an actor; suspends until it is the task's turn.
  ///
  /// - Parameter place: What runs the code of the actor.
  /// - Throws: `CancellationError` if the task is cancelled before; others keep their positions.
  package func beginWrite(
    at place: WriterPlace, isolation: isolated any Actor
  ) async throws -> WriteTransaction {
    try requireOwnProcess()
    return try await writers.begin(on: self, at: place, isolation: isolation)
  }

  /// Lets a block that is to run at a place wait for its turn, without a thread.
  ///
  /// - Parameter wake: Called on any thread, maybe before this returns and maybe more than once,
  ///   when there is something for `writers.take(_:)`.
  /// - Returns: The number of the waiter, which must be taken or withdrawn.
  package func enqueueWriter(
    at place: WriterPlace, wake: @escaping @Sendable () -> Void
  ) -> UInt64 {
    writers.enqueue(on: self, at: place, wake: wake)
  }

  /// - Throws: `StorageError.forkedProcess` (invariant 4).
  func requireOwnProcess() throws(StorageError) {
    if realm_is_forked() { throw .forkedProcess(path: path) }
  }

  /// Releases the right to write.
  func releaseWriter() { writers.release() }

  /// Refuses all further writes of this session, in every process.
  func poison() {
    unsafe session.memory.poisoned.pointee.store(1, ordering: .sequentiallyConsistent)
  }

  var isPoisoned: Bool {
    unsafe session.memory.poisoned.pointee.load(ordering: .sequentiallyConsistent) != 0
  }
}
