// SPDX-License-Identifier: Apache-2.0

// The subscription sets of a file (P3 C.1).
//
// 1. There is at least one set. Versions ascend from 0.
// 2. Once a set has its bootstrap, there are no sets of lower versions.

package import RealmStorage
package import RealmTables

/// The subscription sets of a file, in a write transaction.
package struct SubscriptionStore {
  private static let tables = InternalTables(
    name: "flx_subscription_store", version: 2,
    tables: [
      InternalTable(
        name: "flx_subscriptions", kind: .embedded,
        properties: [
          .init(name: "id", type: .objectId), .init(name: "created_at", type: .timestamp),
          .init(name: "updated_at", type: .timestamp),
          .init(name: "name", type: .string, isNullable: true),
          .init(name: "object_class", type: .string), .init(name: "query", type: .string),
        ]),
      InternalTable(
        name: "flx_subscription_sets", hasPrimaryKey: true,
        properties: [
          .init(name: "version", type: .int), .init(name: "state", type: .int),
          .init(name: "snapshot_version", type: .int),
          .init(name: "error", type: .string, isNullable: true),
          .init(
            name: "subscriptions", type: .link, collection: .list, target: "flx_subscriptions"),
        ]),
    ])

  private let group: WriteGroup
  private let sets: WritableTable

  /// The store of a file; nil for files without one.
  package init?(existingIn group: WriteGroup) throws(StorageError) {
    guard try Self.tables.exist(in: group) else { return nil }
    try self.init(group)
  }

  /// Makes the store if there is none, with the empty set of version 0.
  package static func make(in group: WriteGroup) throws(StorageError) -> SubscriptionStore {
    try tables.make(in: group)
    let store = try SubscriptionStore(group)
    if try store.versions().isEmpty { try store.add(0) }
    return store
  }

  private init(_ group: WriteGroup) throws(StorageError) {
    self.group = group
    sets = try InternalTables.table("flx_subscription_sets", group)
  }

  /// Adds a pending set.
  package func add(
    _ version: UInt64, _ subscriptions: [StoredSubscription] = []
  ) throws(StorageError) {
    let key = try sets.createObject(primaryKey: .int(Int64(clamping: version))).key
    try sets.set(SubscriptionState.pending.rawValue, "state", key)
    try sets.set(
      Int64(clamping: group.transaction.base.version), "snapshot_version", key)
    let table = try InternalTables.table("flx_subscriptions", group)
    let list = try sets.list(sets.required("subscriptions"), key)
    for (index, subscription) in subscriptions.enumerated() {
      let (row, _) = try list.insertEmbedded(at: index)
      for (name, value) in [
        ("id", .objectId(subscription.id)), ("created_at", .timestamp(subscription.createdAt)),
        ("updated_at", .timestamp(subscription.updatedAt)),
        ("name", subscription.name.map { .string($0) } ?? .null),
        ("object_class", .string(subscription.objectClass)),
        ("query", .string(subscription.query)),
      ] as [(String, TableValue)] {
        try table.set(value, table.required(name), row)
      }
    }
  }

  /// The versions of all sets, ascending.
  package func versions() throws(StorageError) -> [UInt64] {
    var versions: [UInt64] = []
    for key in try sets.keys() {
      if let row = try sets.row(of: key) { versions.append(try sets.version("version", row)) }
    }
    return versions.sorted()
  }

  private func find(_ version: UInt64) throws(StorageError) -> (key: ObjectKey, row: Row)? {
    try sets.findRow(primaryKey: .int(Int64(clamping: version)))
  }

  /// The state of the set of a version; nil if there is none.
  package func state(of version: UInt64) throws(StorageError) -> SubscriptionState? {
    guard let row = try find(version)?.row else { return nil }
    let number = try sets.integer("state", row)
    guard let state = SubscriptionState(rawValue: number) else {
      throw .corrupted("a subscription set has the state \(number)")
    }
    return state
  }

  /// Changes the state of the set of a version, if there is one. Only an error has a text.
  package func setState(
    _ state: SubscriptionState, of version: UInt64, error: String? = nil
  ) throws(StorageError) {
    guard let key = try find(version)?.key else { return }
    try sets.set(state.rawValue, "state", key)
    try sets.set(error.map { .string($0) } ?? .null, sets.required("error"), key)
  }

  /// Notes a complete bootstrap: its set waits for the server's mark, and sets of lower versions
  /// go.
  package func completeBootstrap(of version: UInt64) throws(StorageError) {
    try setState(.awaitingMark, of: version)
    for old in try versions() where old < version {
      guard let key = try find(old)?.key else { continue }
      try sets.delete(key)
    }
  }
}
