// SPDX-License-Identifier: Apache-2.0

// Freezing and thawing, the part that is the same for objects and collections: the locator is
// looked up in the other realm.

import RealmSession

extension ThreadConfined {
  /// The counterpart in the frozen realm of the version that `core` shows.
  func frozen(from core: RealmCore) -> Self {
    if core.isFrozen { return self }
    let realm = Realm(core: orTrap(try core.frozen()))
    guard let frozen = Self._local(_definition, in: realm) else {
      throwRealmException(
        "Cannot freeze an object in the same write transaction as it was created in.")
    }
    return frozen
  }

  /// The counterpart in a live realm of the caller; nil if there is none.
  func thawed(from core: RealmCore) -> Self? {
    if !core.isFrozen { return self }
    core.checkIsolation()
    var definition = _definition
    definition.isGone = false
    return Self._local(definition, in: Realm(core: core.thawed()))
  }
}
