// SPDX-License-Identifier: Apache-2.0

// A serial dispatch queue as an owner of realms.

import Dispatch
import RealmStorage

/// Which queue this is, and how to tell that the caller runs in one of its blocks.
///
/// Each queue gets a key of its own, so that a block which runs on a queue that targets this one is
/// recognized, even if that queue has realms of its own.
package final class QueueIdentity: Sendable {
  let queue: DispatchQueue
  private let key = DispatchSpecificKey<Bool>()

  private static let identityKey = DispatchSpecificKey<WeakIdentity>()
  private static let registration = Guarded(())

  private init(_ queue: DispatchQueue) {
    self.queue = queue
    queue.setSpecific(key: key, value: true)
  }

  deinit { queue.setSpecific(key: key, value: nil) }

  /// The identity of `queue`; the same as long as anybody keeps it.
  static func of(_ queue: DispatchQueue) -> QueueIdentity {
    registration.withLock { _ in
      // The queue keeps its identity weakly: an identity keeps its queue.
      if let known = queue.getSpecific(key: identityKey)?.identity { return known }
      let identity = QueueIdentity(queue)
      queue.setSpecific(key: identityKey, value: WeakIdentity(identity))
      return identity
    }
  }

  var label: String { queue.label }

  /// Whether the caller runs in a block of this queue, or of one that targets it.
  package var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

  private final class WeakIdentity: Sendable {
    weak let identity: QueueIdentity?
    init(_ identity: QueueIdentity) { self.identity = identity }
  }
}
