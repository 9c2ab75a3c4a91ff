// SPDX-License-Identifier: Apache-2.0

// A realm as upkeep sees it.

import RealmStorage

/// The name, the newest version and the client files of a realm.
package struct RealmOutline: Hashable, Sendable {
  package var name: RealmName
  package var head: RealmHead
  package var files: [ClientFile]

  init(of realm: EmbeddedRealm) throws(StorageError) {
    name = realm.name
    head = try realm.snapshot().head
    files = try realm.files()
  }
}
