// SPDX-License-Identifier: Apache-2.0

// One observer of a realm as a whole.

import RealmStorage

/// An observer that hears of each version a realm shows.
final class RealmObservation: Cancellable {
  private struct Handler: @unchecked Sendable {
    // Sendable: any thread may take the handler away; it is called where the realm lives only.

    /// Kept alive until the observation ends.
    let core: RealmCore
    let call: (Realm.Notification, Realm) -> Void
  }

  private let handler: Guarded<Handler?>

  init(of core: RealmCore, _ block: @escaping (Realm.Notification, Realm) -> Void) {
    handler = Guarded(Handler(core: core, call: block))
  }

  /// Whether it observes another realm; false after its end.
  func isForeign(to core: RealmCore) -> Bool {
    handler.withLock { $0.map { $0.core !== core } ?? false }
  }

  var isActive: Bool { handler.withLock { $0 != nil } }

  func call(_ notification: Realm.Notification, _ realm: Realm) {
    handler.withLock { $0?.call }?(notification, realm)
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
