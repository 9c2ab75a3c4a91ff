// SPDX-License-Identifier: Apache-2.0

// Controls which version a realm shows.

import RealmSession

extension Realm {
  /// Whether the realm advances to new versions by itself, if it is confined to a place that can be
  /// notified of them: the main actor, an actor, a queue, a thread with a run loop.
  public var autorefresh: Bool {
    get {
      core.checkIsolation()
      return core.observers?.autorefresh ?? false
    }
    nonmutating set {
      core.checkIsolation()
      if core.isFrozen, newValue {
        throwRealmException("Auto-refresh cannot be enabled for frozen Realms.")
      }
      core.observers?.autorefresh = newValue
    }
  }

  /// Advances to the newest version, and updates all objects and collections of the realm.
  ///
  /// - Returns: Whether there was a newer version. False in a write transaction, which always shows
  ///   the newest, and for frozen realms.
  @discardableResult
  public func refresh() -> Bool {
    core.checkIsolation()
    if core.isFrozen { return false }
    if core.isReadOnly {
      throwRealmException("Read-only Realms do not change and cannot be refreshed.")
    }
    if core.isInWrite { return false }
    return orTrap(try core.refresh())
  }

  /// Releases the version that the realm shows, so that the file can reuse its space.
  ///
  /// All objects and collections of the realm become invalid and are no longer observed; an open
  /// write transaction is undone. The call waits until asynchronous commits are durable;
  /// asynchronous writes whose turn has not come go on waiting.
  ///
  /// The realm itself shows the newest version when it is next used. Observers cannot invalidate
  /// their realm while they are being called: the call is ignored.
  ///
  /// A frozen realm stays invalid. Other threads may be reading its objects meanwhile, so the space
  /// of its version becomes free when the last of them is released.
  public func invalidate() {
    if core.isFrozen {
      core.invalidateFrozen()
      return RealmCache.remove(core)
    }
    core.checkIsolation()
    if core.observers?.isDelivering == true { return }
    core.invalidate()
    core.observers?.endObservations()
  }
}
