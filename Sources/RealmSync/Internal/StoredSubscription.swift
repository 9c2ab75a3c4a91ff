// SPDX-License-Identifier: Apache-2.0

// One subscription of a set, as it stands in the file (P3 C.1).

package import RealmStorage

/// A stored subscription.
package struct StoredSubscription: Hashable, Sendable {
  package var id: Bytes12
  package var createdAt: Timestamp
  package var updatedAt: Timestamp
  package var name: String?
  /// The class whose objects the query selects.
  package var objectClass: String
  package var query: String

  package init(
    id: Bytes12, createdAt: Timestamp, updatedAt: Timestamp, name: String? = nil,
    objectClass: String, query: String
  ) {
    self.id = id
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.name = name
    self.objectClass = objectClass
    self.query = query
  }
}
