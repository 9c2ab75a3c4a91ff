// SPDX-License-Identifier: Apache-2.0

// An observer of a session as a whole, which is notified of versions, not of changes.

import RealmStorage

/// A notification for the observers of a session.
package enum SessionNotification: Sendable {
  /// The session shows a newer version, by its own write transaction or by another's.
  case moved
  /// There is a newer version, and the session does not move to it by itself.
  case newerVersionExists
}

/// An observer of each version of a session.
package final class SessionObservation: Cancellable {
  private struct Handler: @unchecked Sendable {
    // Sendable: any thread may remove the handler; it is called in the confinement only.

    /// Kept alive until the observation ends.
    let session: Session
    let call: (SessionNotification) -> Void
  }

  private let handler: Locked<Handler?>

  package init(of session: Session, _ block: @escaping (SessionNotification) -> Void) {
    handler = Locked(Handler(session: session, call: block))
  }

  /// Whether it observes another session; false after its end.
  package func isForeign(to session: Session) -> Bool {
    handler.withLock { $0.map { $0.session !== session } ?? false }
  }

  var isActive: Bool { handler.withLock { $0 != nil } }

  /// Notifies the observer, in the confinement.
  func call(_ notification: SessionNotification) {
    handler.withLock { $0?.call }?(notification)
  }

  @discardableResult
  package func cancel() -> Bool {
    let previous = handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
    return previous != nil
  }
}
