// SPDX-License-Identifier: Apache-2.0

// A serial dispatch queue as the owner of sessions.

import Dispatch
import RealmStorage

/// The identity of a queue, which recognizes a caller in one of its blocks.
///
/// Each queue gets a key of its own, so a block on a queue with this one as its target is
/// recognized, even if the other queue has sessions of its own.
package final class QueueIdentity: Sendable {
  let queue: DispatchQueue
  private let key = DispatchSpecificKey<Bool>()

  private static let identityKey = DispatchSpecificKey<WeakIdentity>()
  private static let registration = Locked(())

  private init(_ queue: DispatchQueue) {
    self.queue = queue
    queue.setSpecific(key: key, value: true)
  }

  deinit { queue.setSpecific(key: key, value: nil) }

  /// The identity of `queue`; the same instance as long as a reference to it exists.
  static func of(_ queue: DispatchQueue) -> QueueIdentity {
    registration.withLock { _ in
      if let known = known(of: queue) { return known }
      let identity = QueueIdentity(queue)
      queue.setSpecific(key: identityKey, value: WeakIdentity(identity))
      return identity
    }
  }

  /// The present identity of `queue`; nil before its first session.
  static func known(of queue: DispatchQueue) -> QueueIdentity? {
    // The queue keeps its identity weakly: an identity keeps its queue.
    queue.getSpecific(key: identityKey)?.identity
  }

  var label: String { queue.label }

  /// Whether the caller runs in a block of this queue, or of one that targets it.
  package var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

  private final class WeakIdentity: Sendable {
    weak let identity: QueueIdentity?
    init(_ identity: QueueIdentity) { self.identity = identity }
  }
}
