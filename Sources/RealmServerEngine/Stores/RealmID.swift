// SPDX-License-Identifier: Apache-2.0

// The key under which a store keeps a realm.

/// The identifier that a store gave to a realm.
package struct RealmID: Hashable, Sendable {
  package var rawValue: String

  package init(_ rawValue: String) { self.rawValue = rawValue }
}
