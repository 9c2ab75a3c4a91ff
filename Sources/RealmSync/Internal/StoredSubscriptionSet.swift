// SPDX-License-Identifier: Apache-2.0

// A subscription set as it stands in a version of the file.

package import RealmStorage
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
    guard let sets = try group.table(named: "flx_subscription_sets"),
      let subscriptions = try group.table(named: "flx_subscriptions")
    else { return [] }
    var result: [StoredSubscriptionSet] = []
    var cursor = sets.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        result.append(try StoredSubscriptionSet(cluster.row(at: index), sets, subscriptions))
      }
    }
    return result
  }

  private init(_ row: Row, _ sets: Table, _ subscriptions: Table) throws(StorageError) {
    let reader = InternalRow(row, sets.schema)
    version = try reader.unsigned("version")
    let number = try reader.integer("state")
    guard let state = SubscriptionState(rawValue: number) else {
      throw .corrupted("a subscription set has the state \(number)")
    }
    self.state = state
    snapshotVersion = try reader.unsigned("snapshot_version")
    error = try reader.optionalText("error")
    self.subscriptions = []
    for key in try row.list(reader.column("subscriptions")).keys() {
      guard let row = try subscriptions.row(of: key) else { continue }
      self.subscriptions.append(try StoredSubscription(InternalRow(row, subscriptions.schema)))
    }
  }
}

extension StoredSubscription {
  fileprivate init(_ row: InternalRow) throws(StorageError) {
    guard case .objectId(let id) = try row.value("id"),
      case .timestamp(let created) = try row.value("created_at"),
      case .timestamp(let updated) = try row.value("updated_at")
    else { throw .corrupted("a subscription has no id or times") }
    self.init(
      id: id, createdAt: created, updatedAt: updated, name: try row.optionalText("name"),
      objectClass: try row.text("object_class"), query: try row.text("query"))
  }
}
