// SPDX-License-Identifier: Apache-2.0

// The places blocked by a waiting writer, and the place of its run.

import CRealmPlatform
package import RealmStorage

extension WriterPlace {
  /// The main actor, queue and thread: no address is 0.
  private static let main = WriterPlace(identity: 0)

  /// The place where the code of a session runs.
  init(_ confinement: Confinement) {
    switch confinement {
    case .main: self = .main
    case .thread(let thread): self.init(identity: thread.pointer)
    case .queue(let queue): self.init(identity: UInt(bitPattern: ObjectIdentifier(queue.queue)))
    case .actor(let actor): self.init(identity: actor.executor)
    case .frozen: preconditionFailure("a frozen session does not write")
    }
  }

  /// The places that the calling thread blocks while it waits for a session of `confinement`: a
  /// session of a thread may be used by the code of an actor, or of the main queue.
  static func keptBusy(by confinement: Confinement?) -> [WriterPlace] {
    var places = [WriterPlace(identity: realm_thread_pointer())]
    if let confinement { places.append(WriterPlace(confinement)) }
    if MainPlace.isCurrent {
      places.append(.main)
    } else if ActorIdentity.currentExecutor != 0 {
      places.append(WriterPlace(identity: ActorIdentity.currentExecutor))
    }
    return places
  }
}

extension DatabaseFile {
  /// Begins a write transaction; blocks until it is the caller's turn.
  ///
  /// - Parameter confinement: The confinement of the session that is to be written, if there is one
  ///   yet.
  package func beginWrite(for confinement: Confinement?) throws(StorageError) -> WriteTransaction {
    try beginWrite(keepingBusy: { WriterPlace.keptBusy(by: confinement) })
  }

  /// Begins a write transaction on the actor of a session; suspends until it is the task's turn.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before; others keep their positions.
  package func beginWrite(
    in confinement: Confinement, isolation: isolated any Actor
  ) async throws -> WriteTransaction {
    try await beginWrite(at: WriterPlace(confinement), isolation: isolation)
  }

  /// Enqueues a block of a session, as `enqueueWriter(at:wake:)` does.
  func enqueueWriter(in confinement: Confinement, wake: @escaping @Sendable () -> Void) -> UInt64 {
    enqueueWriter(at: WriterPlace(confinement), wake: wake)
  }
}
