// SPDX-License-Identifier: Apache-2.0

// The identity of an object on all devices, apart from any changeset.

package import RealmSyncProtocol
package import RealmTables

/// A class and an object's identity in it.
package struct ObjectIdentity: Hashable, Sendable {
  /// The primary key, or the global key where the class has none.
  package enum Key: Hashable, Sendable {
    case value(TableValue)
    case global(GlobalKey)
  }

  package var className: String
  package var key: Key

  package init(className: String, key: Key) {
    self.className = className
    self.key = key
  }
}
