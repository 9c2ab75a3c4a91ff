// SPDX-License-Identifier: Apache-2.0

// Freezing and thawing of objects.

import RealmSession

extension ObjectBase {
  /// Whether the object is frozen: it shows one version permanently and may be read on any thread.
  ///
  /// This property may be read on any thread. False for unmanaged objects.
  public final var isFrozen: Bool { unsafe _info?.core.isFrozen ?? false }

  /// The object as it is now, immutable, and readable on any thread, without copying anything.
  ///
  /// Its linked objects are frozen too. In a write transaction it is the object as it was before
  /// the transaction. As long as something frozen is kept, the file keeps all that its version
  /// needs.
  ///
  /// Traps for objects that no realm manages, that were deleted, or that the open write transaction
  /// created.
  public final func freeze() -> Self {
    guard let core = requireManaged(orElse: "Unmanaged objects cannot be frozen.") else {
      return self
    }
    return frozen(from: core)
  }

  /// The live object that a frozen one is a copy of, in the realm of the calling thread, queue or
  /// actor; nil if it was deleted. For live objects the object itself.
  ///
  /// A realm that is open there stays at the version that it shows; if the object is newer, the
  /// result is nil until the realm is refreshed.
  ///
  /// In code of an actor there must be a realm that was opened for the actor; otherwise a realm of
  /// the present thread is used, and the result must not be used after an `await`.
  ///
  /// Nil for embedded objects that no realm manages; traps for other such objects, and for deleted
  /// ones.
  public final func thaw() -> Self? {
    if unsafe _hot == nil, self is EmbeddedObject { return nil }
    guard let core = requireManaged(orElse: "Unmanaged objects cannot be thawed.") else {
      return self
    }
    return thawed(from: core)
  }

  private final func requireManaged(orElse text: String) -> RealmCore? {
    guard let info = _info else { throwRealmException(text) }
    unsafe info.core.checkIsolation()
    _ = exists(in: info)
    return unsafe info.core
  }
}
