// SPDX-License-Identifier: Apache-2.0

// What a waiting writer keeps busy.

import CRealmPlatform

/// A place where one thing runs at a time: while a writer blocks it, no other code of it runs.
enum WriterPlace: Hashable, Sendable {
  case main
  case executor(UInt)
  case queue(ObjectIdentifier)
  case thread(UInt)

  /// The place where the code of a realm runs.
  init(_ confinement: Confinement) {
    switch confinement {
    case .main: self = .main
    case .thread(let thread): self = .thread(thread.pointer)
    case .queue(let queue): self = .queue(ObjectIdentifier(queue.queue))
    case .actor(let actor): self = .executor(actor.executor)
    case .frozen: preconditionFailure("a frozen realm does not write")
    }
  }

  /// What the calling thread keeps busy while it waits for a realm of `confinement`: a realm of a
  /// thread may be used by the code of an actor, or of the main queue.
  static func keptBusy(by confinement: Confinement?) -> [WriterPlace] {
    var places = [WriterPlace.thread(realm_thread_pointer())]
    if let confinement { places.append(WriterPlace(confinement)) }
    if MainPlace.isCurrent {
      places.append(.main)
    } else if ActorIdentity.currentExecutor != 0 {
      places.append(.executor(ActorIdentity.currentExecutor))
    }
    return places
  }
}
