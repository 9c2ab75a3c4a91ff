// SPDX-License-Identifier: Apache-2.0

// The key of a realm in a store.

/// The store's identifier of a realm.
package struct RealmID: Hashable, Sendable {
  package var rawValue: String

  package init(_ rawValue: String) { self.rawValue = rawValue }
}
