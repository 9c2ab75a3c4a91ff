// SPDX-License-Identifier: Apache-2.0

// The tables that synchronisation keeps for itself (P3 C, P5 5).

import RealmStorage
import RealmSync
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

struct InternalTablesTests {
  private func columns(_ name: String, _ device: TestDevice) throws -> [String] {
    let schema = try #require(try device.read().table(named: name)).schema
    return schema.columns.map { column in
      "\(column.name) \(column.type) \(column.collection) \(column.isNullable)"
        + (column.isPrimaryKey ? " key" : "")
    }
  }

  @Test func tablesAreThoseOfTheFormat() throws {
    let device = try TestDevice()
    try device.write { group in
      _ = try SubscriptionStore.make(in: group)
      _ = try BootstrapStore.make(in: group)
    }
    try expectEqual(
      columns("flx_subscription_sets", device),
      [
        "version int none false key", "state int none false", "snapshot_version int none false",
        "error string none true", "subscriptions link list false",
      ])
    try expectEqual(
      columns("flx_subscriptions", device),
      [
        "id objectId none false", "created_at timestamp none false",
        "updated_at timestamp none false", "name string none true",
        "object_class string none false", "query string none false",
      ])
    try expectEqual(
      columns("flx_pending_bootstrap", device),
      [
        "query_version int none false key", "changesets link list false",
        "progress link none true",
      ])
    try expectEqual(columns("flx_pending_bootstrap_changesets", device).count, 6)
    try expectEqual(columns("flx_pending_bootstrap_progress", device).count, 6)
    let versions = try #require(try device.read().table(named: "sync_internal_schemas"))
    try expectEqual(versions.objectCount(), 2)
  }

  @Test func tablesOfAnotherShapeAreRefused() throws {
    for name in ["flx_subscription_sets", "flx_subscriptions", "sync_internal_schemas"] {
      let device = try TestDevice()
      try device.write { group in
        _ = try SubscriptionStore.make(in: group)
        let table = try #require(try group.table(named: name))
        try table.addColumn(named: "more", type: .int)
      }
      #expect(throws: StorageError.self) {
        try device.write { group in
          _ = try SubscriptionStore(existingIn: group)
          _ = try BootstrapStore.make(in: group)
        }
      }
    }
  }

  /// `SubscriptionStore` 1.
  @Test func aNewStoreHasTheEmptySet() throws {
    let device = try TestDevice()
    try device.write { group in
      let store = try SubscriptionStore.make(in: group)
      try expectEqual(store.versions(), [0])
      try expectEqual(store.state(of: 0), .pending)
      try expectEqual(store.state(of: 1), nil)
    }
  }

  @Test func anErrorHasItsText() throws {
    let device = try TestDevice()
    try device.write { group in
      try SubscriptionStore.make(in: group).setState(.error, of: 0, error: "no such class")
    }
    let table = try #require(try device.read().table(named: "flx_subscription_sets"))
    let column = try #require(table.schema.column(named: "error"))
    let key = try #require(try table.key(at: 0))
    try expectEqual(table.row(of: key)?.value(of: column), .string("no such class"))
  }
}
