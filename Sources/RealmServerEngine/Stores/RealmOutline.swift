// SPDX-License-Identifier: Apache-2.0

// A realm as upkeep sees it.

/// The name, the newest version and the client files of a realm.
package struct RealmOutline: Hashable, Sendable {
  package var name: RealmName
  package var head: RealmHead
  package var files: [ClientFile]
}
