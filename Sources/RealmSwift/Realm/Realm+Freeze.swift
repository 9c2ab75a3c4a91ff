// SPDX-License-Identifier: Apache-2.0

// Frozen realms: one version of a file, for all threads.

import RealmSession
import RealmStorage

extension Realm {
  /// Whether the realm is frozen: it shows one version permanently and may be read on any thread.
  ///
  /// This property may be read on any thread.
  public var isFrozen: Bool { core.isFrozen }

  /// A realm of the version that this one shows, which never changes and which any thread may read.
  ///
  /// ```swift
  /// let frozen = realm.freeze()
  /// DispatchQueue.global().async { report(frozen.objects(Todo.self).count) }
  /// ```
  ///
  /// All that is read from it is frozen too. In a write transaction it shows the version before the
  /// transaction. It does not depend on the live realm: either may be released first. As long as
  /// something of it is kept, the file keeps all that its version needs (see ``pinnedByteCount``).
  ///
  /// Freezing takes microseconds, and all callers that freeze the same version share one realm. For
  /// a frozen realm the result is the realm itself.
  public func freeze() -> Realm {
    Realm(core: orTrap(try core.frozen()))
  }

  /// A live realm of the same file, for the calling thread, queue or actor. For a live realm the
  /// realm itself.
  ///
  /// In code of an actor there must be a realm that was opened for the actor; otherwise it is a
  /// realm of the present thread, which must not be used after an `await`.
  public func thaw() -> Realm {
    core.checkIsolation()
    return Realm(core: core.thawed())
  }

  /// The object, frozen; see `Object.freeze()`.
  public func freeze<T: ObjectBase>(_ object: T) -> T { object.freeze() }

  /// The object, live; see `Object.thaw()`.
  public func thaw<T: ObjectBase>(_ object: T) -> T? { object.thaw() }

  /// The collection, frozen; see `Results.freeze()`.
  public func freeze<Collection: RealmCollection>(_ collection: Collection) -> Collection {
    collection.freeze()
  }

  /// The collection, live; see `Results.thaw()`.
  public func thaw<Collection: RealmCollection>(_ collection: Collection) -> Collection? {
    collection.thaw()
  }

  /// The bytes of the file that are free but cannot be reused before this version, and all older
  /// ones, are released: the cost of frozen realms.
  ///
  /// Zero while nothing was written since. It grows with the data that later write transactions
  /// replace, so a large figure means that something frozen was kept for too long, or that a realm
  /// was not refreshed. The cost is one pass over the list of free blocks.
  public var pinnedByteCount: Int {
    core.checkIsolation()
    return core.reading(
      try core.file.pinnedByteCount(by: try core.snapshot()), else: 0)
  }
}
