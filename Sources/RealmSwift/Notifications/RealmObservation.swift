// SPDX-License-Identifier: Apache-2.0

// One observer of a realm as a whole.

import RealmStorage

/// An observer that hears of each version a realm shows.
final class RealmObservation: Cancellable {
  private struct Handler: @unchecked Sendable {
    // Sendable: any thread may take the handler away; it is called where the realm lives only.
    let call: (Realm.Notification, Realm) -> Void
  }

  private let handler: Guarded<Handler?>
  /// Keeps the realm alive as long as somebody observes it.
  private nonisolated(unsafe) let core: RealmCore
  // nonisolated(unsafe): a reference that is only kept here.

  init(of core: RealmCore, _ block: @escaping (Realm.Notification, Realm) -> Void) {
    self.core = core
    handler = Guarded(Handler(call: block))
  }

  var isActive: Bool { handler.withLock { $0 != nil } }

  func call(_ notification: Realm.Notification, _ realm: Realm) {
    handler.withLock { $0 }?.call(notification, realm)
  }

  @discardableResult
  func cancel() -> Bool {
    let previous = handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
    return previous != nil
  }
}
