// SPDX-License-Identifier: Apache-2.0

// A subscription set as it stands in a version of the file (P3 C.1).

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// A stored subscription set, with its subscriptions.
package struct StoredSubscriptionSet: Hashable, Sendable {
  package var version: UInt64
  package var state: SubscriptionState
  /// The version of the file up to which changes must be sent before the set is.
  package var snapshotVersion: UInt64
  /// The server's explanation, if it refused the set.
  package var error: String?
  /// In the order of their addition.
  package var subscriptions: [StoredSubscription]

  /// The newest set of a version; nil if the file has none.
  package static func newest(in group: TableGroup) throws(StorageError) -> StoredSubscriptionSet? {
    try all(in: group).max { $0.version < $1.version }
  }

  /// All sets of a version, in no order.
  package static func all(in group: TableGroup) throws(StorageError) -> [StoredSubscriptionSet] {
    guard let sets = try SubscriptionStore.setLayout.find(in: group),
      let subscriptions = try SubscriptionStore.subscriptionLayout.find(in: group)
    else { return [] }
    var result: [StoredSubscriptionSet] = []
    var records = try sets.records()
    while let set = try records.next() {
      result.append(try StoredSubscriptionSet(set, subscriptions))
    }
    return result
  }

  private init(_ set: RecordRow, _ subscriptions: RecordTable) throws(StorageError) {
    version = try set.natural("version")
    state = try SubscriptionState(of: set)
    snapshotVersion = try set.natural("snapshot_version")
    error = try set.optionalText("error")
    self.subscriptions = []
    for row in try set.links("subscriptions", in: subscriptions) {
      self.subscriptions.append(try StoredSubscription(row))
    }
  }
}

/// The state of a stored subscription set.
package enum SubscriptionState: Int64, Hashable, Sendable {
  /// The server has not begun to send its objects.
  case pending = 1
  case bootstrapping = 2
  case complete = 3
  /// The server has refused it.
  case error = 4
  /// Everything is there, as far as the server had it when it was asked.
  case awaitingMark = 6

  /// The state of a stored set.
  init(of set: RecordRow) throws(StorageError) {
    let number = try set.integer("state")
    guard let state = SubscriptionState(rawValue: number) else {
      throw .corrupted("a subscription set has the state \(number)")
    }
    self = state
  }
}

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

  fileprivate init(_ row: RecordRow) throws(StorageError) {
    self.init(
      id: try row.objectId("id"), createdAt: try row.timestamp("created_at"),
      updatedAt: try row.timestamp("updated_at"), name: try row.optionalText("name"),
      objectClass: try row.text("object_class"), query: try row.text("query"))
  }
}

/// Reads the subscription sets of a version.
package enum StoredQuerySets {
  /// All sets, oldest first; none in files without subscriptions.
  package static func all(in group: TableGroup) throws(StorageError) -> [QuerySet] {
    try StoredSubscriptionSet.all(in: group).map { QuerySet($0) }
      .sorted { $0.version < $1.version }
  }
}

extension QuerySet {
  fileprivate init(_ set: StoredSubscriptionSet) {
    self.init(
      version: set.version, state: set.state.state, snapshotVersion: set.snapshotVersion,
      text: QueryDocument(
        subscriptions: set.subscriptions.map { ($0.objectClass, $0.query) }
      ).text)
  }
}

extension SubscriptionState {
  fileprivate var state: QuerySet.State {
    switch self {
    case .pending: .pending
    case .bootstrapping: .bootstrapping
    case .complete: .complete
    case .error: .error
    case .awaitingMark: .awaitingMark
    }
  }
}
