// SPDX-License-Identifier: Apache-2.0

// A realm for operators: its size, its history, and how much of it each client has.

import RealmQuery
import RealmStorage
package import RealmSyncProtocol
import RealmTables

/// The facts about the file of a realm.
package struct RealmFacts: Hashable, Sendable {
  /// A class and the number of its objects.
  package struct ClassCount: Hashable, Sendable {
    package let name: String
    package let count: Int
  }

  /// A file of a device.
  package struct Client: Hashable, Sendable {
    package let ident: FileIdentifier
    package let user: String
    /// The server's time of the last sign of life, to the day.
    package let lastSeen: OriginTimestamp
    /// Whether it has to reset.
    package let isExpired: Bool
    /// The newest version that it has said it integrated.
    package let version: UInt64
  }

  package let name: RealmName
  package let head: RealmHead
  package let byteCount: Int
  /// The bytes that the newest version uses.
  package let usedByteCount: Int
  /// The versions with entries.
  package var historyCount: UInt64 { head.version - min(head.base, head.version) }
  /// The sizes of the changesets of these versions, as their authors sent them.
  package let historyByteCount: Int
  package let classes: [ClassCount]
  package let clients: [Client]

  init(_ realm: RealmID, _ snapshot: Snapshot) throws(StorageError) {
    let group = try TableGroup(snapshot, schemas: SchemaCache())
    let meta = try ServerTables.meta(in: group)
    name = try RealmName(meta)
    head = try RealmHead(realm, meta)
    (byteCount, usedByteCount) = try snapshot.file.byteCounts()
    var entries = try ServerTables.history.table(in: group).records(
      from: ServerTables.key(head.base + 1))
    if let first = try entries.next() {
      let before = try first.integer("total_size") - first.integer("original_size")
      historyByteCount = head.totalByteCount - Int(before)
    } else {
      historyByteCount = 0
    }
    var counts: [ClassCount] = []
    for schema in try StoredSchema(group).all {
      counts.append(
        ClassCount(
          name: schema.displayName, count: try group.table(schema.key)?.objectCount() ?? 0))
    }
    classes = counts
    var clients: [Client] = []
    var rows = try ServerTables.files.table(in: group).records()
    while let row = try rows.next() {
      let file = try ClientFile(row)
      clients.append(
        Client(
          ident: file.ident, user: file.user, lastSeen: file.lastSeen, isExpired: file.isExpired,
          version: file.reciprocalBase))
    }
    self.clients = clients
  }
}

extension RealmName {
  /// The name in the file of a realm.
  init(_ meta: RecordRow) throws(StorageError) {
    self.init(app: try meta.text("app"), partition: try meta.optionalText("partition"))
  }
}
