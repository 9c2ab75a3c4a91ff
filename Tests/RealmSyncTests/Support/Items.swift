// SPDX-License-Identifier: Apache-2.0

// Changesets about a class of items, as other devices send them, and local writes to it.

import RealmStorage
import RealmSync
import RealmSyncProtocol
import RealmTables
import Testing

/// The class `Item` {_id: Int key, text: String, list: [String]}.
struct Items {
  private var encoder = ChangesetEncoder()

  /// The bytes of a changeset that `body` writes.
  static func changeset(_ body: (inout Items) -> Void) -> [UInt8] {
    var items = Items()
    body(&items)
    return items.encoder.bytes
  }

  private mutating func object(_ id: Int64) -> ObjectReference {
    ObjectReference(table: encoder.intern("Item"), key: .int(id))
  }

  mutating func addClass() {
    let table = encoder.intern("Item")
    encoder.append(
      .addTable(
        .init(
          table: table, kind: .topLevel,
          key: .init(field: encoder.intern("_id"), type: .int, isNullable: false))))
    for (name, kind) in [
      ("text", ChangesetCollectionKind.single), ("list", .list),
    ] {
      encoder.append(
        .addColumn(
          .init(
            table: table, field: encoder.intern(name), type: .string, isNullable: false,
            collection: kind)))
    }
  }

  mutating func create(_ id: Int64) { encoder.append(.createObject(object(id))) }

  mutating func erase(_ id: Int64) { encoder.append(.eraseObject(object(id))) }

  mutating func setText(_ text: String, of id: Int64) {
    let object = object(id)
    let path = InstructionPath(
      table: object.table, key: object.key, field: encoder.intern("text"))
    encoder.append(.update(.init(path: path, value: .string(encoder.addBytes(text)))))
  }

  mutating func insert(_ text: String, at index: UInt32, of id: Int64, priorSize: UInt32) {
    let object = object(id)
    var path = InstructionPath(
      table: object.table, key: object.key, field: encoder.intern("list"))
    path.elements = encoder.addElements([PathElement.index(index)])
    encoder.append(
      .arrayInsert(
        .init(path: path, value: .string(encoder.addBytes(text)), priorSize: priorSize)))
  }

  mutating func removeElement(at index: UInt32, of id: Int64, priorSize: UInt32) {
    let object = object(id)
    var path = InstructionPath(
      table: object.table, key: object.key, field: encoder.intern("list"))
    path.elements = encoder.addElements([PathElement.index(index)])
    encoder.append(.arrayErase(.init(path: path, priorSize: priorSize)))
  }

  // MARK: Local writes

  static func makeClass(_ group: WriteGroup) throws {
    let table = try group.createTable(named: "class_Item")
    let id = try table.addColumn(named: "_id", type: .int)
    try table.addColumn(named: "text", type: .string)
    try table.addColumn(named: "list", type: .string, collection: .list)
    try table.setPrimaryKey(id.key)
  }

  static func table(_ group: WriteGroup) throws -> WritableTable {
    try #require(try group.table(named: "class_Item"))
  }

  /// Creates an item, or changes its text.
  static func put(_ id: Int64, _ text: String, _ group: WriteGroup) throws {
    let table = try table(group)
    let key = try table.findOrCreate(primaryKey: .int(id)).key
    try table.set(.string(text), try #require(table.schema.column(named: "text")), key)
  }

  /// Adds to the list of an item.
  static func append(_ text: String, to id: Int64, _ group: WriteGroup) throws {
    let table = try table(group)
    let key = try #require(try table.findRow(primaryKey: .int(id))?.key)
    let list = try table.list(try #require(table.schema.column(named: "list")), key)
    try list.insert(.string(text), at: list.count)
  }

  /// The texts of all items by their keys.
  static func texts(_ group: TableGroup) throws -> [Int64: String] {
    guard let table = try group.table(named: "class_Item") else { return [:] }
    var texts: [Int64: String] = [:]
    let (id, text) = (table.schema.column(named: "_id"), table.schema.column(named: "text"))
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        guard case .int(let number) = try row.value(of: #require(id)),
          case .string(let string) = try row.value(of: #require(text))
        else { continue }
        texts[number] = string
      }
    }
    return texts
  }

  /// The list of an item.
  static func list(of id: Int64, _ group: TableGroup) throws -> [TableValue] {
    let table = try #require(try group.table(named: "class_Item"))
    let column = try #require(table.schema.column(named: "list"))
    var cursor = table.clusterCursor()
    while let cluster = try cursor.next() {
      for index in 0..<cluster.count {
        let row = cluster.row(at: index)
        if try row.value(of: #require(table.schema.column(named: "_id"))) == .int(id) {
          return try row.list(column).values()
        }
      }
    }
    return []
  }
}

extension DownloadBatch {
  /// A message with changesets of file 7, of ascending server versions.
  ///
  /// - Parameters:
  ///   - first: The server version of the first.
  ///   - base: The version of this file that the server knew.
  static func of(
    _ changesets: [[UInt8]], from first: UInt64 = 1, base: UInt64 = 0, acknowledged: UInt64? = nil
  ) -> DownloadBatch {
    let entries = changesets.enumerated().map { index, bytes in
      DownloadEntry(
        serverVersion: first + UInt64(index), clientVersion: base,
        timestamp: OriginTimestamp(milliseconds: 500 + UInt64(index)), file: FileIdentifier(7),
        originalByteCount: 10, changeset: bytes)
    }
    let last = first + UInt64(changesets.count) - 1
    return DownloadBatch(
      entries: entries,
      cursors: SyncCursors(
        download: DownloadCursor(serverVersion: last, clientVersion: base),
        upload: UploadCursor(clientVersion: acknowledged ?? base, serverVersion: 0),
        latest: SaltedVersion(version: last, salt: 5)),
      remaining: 3)
  }
}
