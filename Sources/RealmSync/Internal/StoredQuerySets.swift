// SPDX-License-Identifier: Apache-2.0

// The subscription sets of a version, as a session needs them.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// Reads the subscription sets of a version.
package enum StoredQuerySets {
  /// All sets, oldest first; none in files that have no subscriptions.
  package static func all(in group: TableGroup) throws(StorageError) -> [QuerySet] {
    guard let sets = try group.table(named: "flx_subscription_sets"),
      let subscriptions = try group.table(named: "flx_subscriptions")
    else { return [] }
    var result: [QuerySet] = []
    var cursor = sets.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        result.append(try set(cluster.row(at: index), sets.schema, subscriptions))
      }
    }
    return result.sorted { $0.version < $1.version }
  }

  private static func set(
    _ row: Row, _ schema: TableSchema, _ subscriptions: Table
  ) throws(StorageError) -> QuerySet {
    let state = try number("state", row, schema)
    guard let version = UInt64(exactly: try number("version", row, schema)),
      let snapshot = UInt64(exactly: try number("snapshot_version", row, schema)),
      let known = SubscriptionState(rawValue: state)
    else { throw .corrupted("a subscription set has the state \(state)") }
    var queries: [(table: String, query: String)] = []
    for key in try row.list(try column("subscriptions", schema)).keys() {
      guard let row = try subscriptions.row(of: key) else { continue }
      queries.append(
        (
          try text("object_class", row, subscriptions.schema),
          try text("query", row, subscriptions.schema)
        ))
    }
    return QuerySet(
      version: version, state: known.state, snapshotVersion: snapshot,
      text: QueryDocument(subscriptions: queries).text)
  }

  private static func column(
    _ name: String, _ schema: TableSchema
  ) throws(StorageError) -> Column {
    guard let column = schema.column(named: name) else {
      throw .corrupted("the internal table '\(schema.name)' lacks '\(name)'")
    }
    return column
  }

  private static func number(
    _ name: String, _ row: Row, _ schema: TableSchema
  ) throws(StorageError) -> Int64 {
    guard case .int(let number) = try row.value(of: try column(name, schema)) else {
      throw .corrupted("'\(name)' of the internal table '\(schema.name)' is no number")
    }
    return number
  }

  private static func text(
    _ name: String, _ row: Row, _ schema: TableSchema
  ) throws(StorageError) -> String {
    guard case .string(let text) = try row.value(of: try column(name, schema)) else {
      throw .corrupted("'\(name)' of the internal table '\(schema.name)' is no string")
    }
    return text
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
