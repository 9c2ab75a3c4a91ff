// SPDX-License-Identifier: Apache-2.0

// Frozen objects.

import RealmSession

extension ObjectBase {
  /// Whether the object is frozen: it shows one version for ever and may be read on any thread.
  ///
  /// May be asked anywhere. False for unmanaged objects.
  public final var isFrozen: Bool { _info?.core.isFrozen ?? false }

  /// The object as it is now, immutable, and readable on any thread, without copying anything.
  ///
  /// What it links to is frozen too. In a write transaction it is the object as it was before. As
  /// long as something frozen is kept, the file keeps all that its version needs.
  ///
  /// Ends the process for objects that no realm manages, that were deleted, or that the open write
  /// transaction created.
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
  /// In code of an actor there must be a realm that was opened for the actor; else a realm of the
  /// present thread is used, and what it gives must not be used after an `await`.
  ///
  /// For embedded objects that no realm manages the result is nil; for other such objects, and for
  /// deleted ones, the process ends.
  public final func thaw() -> Self? {
    if _hot == nil, self is EmbeddedObject { return nil }
    guard let core = requireManaged(orElse: "Unmanaged objects cannot be thawed.") else {
      return self
    }
    return thawed(from: core)
  }

  private final func requireManaged(orElse text: String) -> RealmCore? {
    guard let info = _info else { throwRealmException(text) }
    info.core.checkIsolation()
    requireExisting(info)
    return info.core
  }
}
