// SPDX-License-Identifier: Apache-2.0

// Freezing and thawing, the part that is the same for objects and collections: what something is in
// terms of the file is looked up in the other realm.

import RealmSession
import RealmStorage

extension ThreadConfined {
  /// The same in the frozen realm of the version that `core` shows.
  func frozen(from core: RealmCore) -> Self {
    if core.isFrozen { return self }
    do throws(StorageError) {
      if let frozen = Self._local(_definition, in: Realm(core: try core.frozen())) { return frozen }
    } catch { stop(error) }
    throwRealmException(
      "Cannot freeze an object in the same write transaction as it was created in.")
  }

  /// The same in a live realm of the caller; nil if it does not exist there.
  func thawed(from core: RealmCore) -> Self? {
    if !core.isFrozen { return self }
    core.checkIsolation()
    return Self._local(_definition, in: Realm(core: core.thawed()))
  }
}
