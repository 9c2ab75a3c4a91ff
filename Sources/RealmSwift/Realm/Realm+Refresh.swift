// SPDX-License-Identifier: Apache-2.0

// Controls which version a realm shows.

import RealmSession

extension Realm {
  /// Whether the realm advances to new versions by itself, if it is confined to a place that can be
  /// notified of them: the main actor, an actor, a queue, a thread with a run loop.
  ///
  /// It may be read on any thread.
  public var autorefresh: Bool {
    get { core.observers?.autorefresh ?? false }
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
    return core.reading(try core.refresh(), else: false)
  }

  /// Releases the version that the realm shows, so that the file can reuse its space.
  ///
  /// All objects and collections of the realm become invalid; an open write transaction is undone.
  /// The call waits until asynchronous commits are durable; asynchronous writes whose turn has not
  /// come go on waiting.
  ///
  /// The realm itself shows the newest version when it is next used. Observers live on: they are
  /// called after the next change, and what they observe is usable again from then on. Until then
  /// they keep the version that they have seen. Sequences of changes end. While an observer of the
  /// realm, or of anything in it, is being called, the realm cannot be invalidated: the call is
  /// ignored.
  ///
  /// A frozen realm stays invalid. Other threads may be reading its objects meanwhile, so the space
  /// of its version becomes free when the last of them is released.
  public func invalidate() {
    if core.isFrozen {
      core.invalidateFrozen()
      return RealmCache.remove(core)
    }
    core.checkIsolation()
    if core.observers?.isCalling == true { return }
    // What is due was collected for the version that is shown now.
    if !core.isInWrite { core.observers?.makeCalls() }
    core.invalidate()
    core.observers?.endSequences()
  }
}
