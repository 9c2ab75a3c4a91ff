// SPDX-License-Identifier: Apache-2.0

// The received part of a bootstrap (P3 C.2).
//
// 1. At most one bootstrap is stored: a message of another one drops it.
// 2. It is complete when it has its progress, from the last message.

package import RealmStorage
package import RealmSyncProtocol
package import RealmTables

/// The stored bootstrap of a file, in a write transaction.
package struct BootstrapStore {
  /// The longest stored changeset: with its framing it fits one blob, as the peers' stores read no
  /// chains.
  package static let changesetByteCountMax = 16_777_200 - 16

  static let tableName = "flx_pending_bootstrap"

  private static let tables = InternalTables(
    name: "pending_bootstraps", version: 1,
    tables: [
      InternalTable(
        name: "flx_pending_bootstrap_changesets", kind: .embedded,
        properties: [
          .init(name: "remote_version", type: .int),
          .init(name: "last_integrated_client_version", type: .int),
          .init(name: "origin_file_ident", type: .int),
          .init(name: "origin_timestamp", type: .int), .init(name: "original_size", type: .int),
          .init(name: "data", type: .binary, isNullable: true),
        ]),
      InternalTable(
        name: "flx_pending_bootstrap_progress", kind: .embedded,
        properties: [
          .init(name: "upload_server_version", type: .int),
          .init(name: "upload_client_version", type: .int),
          .init(name: "download_server_version", type: .int),
          .init(name: "download_client_version", type: .int),
          .init(name: "latest_server_version", type: .int),
          .init(name: "latest_server_version_salt", type: .int),
        ]),
      InternalTable(
        name: tableName, hasPrimaryKey: true,
        properties: [
          .init(name: "query_version", type: .int),
          .init(
            name: "changesets", type: .link, collection: .list,
            target: "flx_pending_bootstrap_changesets"),
          .init(name: "progress", type: .link, target: "flx_pending_bootstrap_progress"),
        ]),
    ])

  private let bootstraps: WritableTable
  private let changesets: WritableTable
  private let progresses: WritableTable

  /// The store of a file; nil for files without one.
  package init?(existingIn group: WriteGroup) throws(StorageError) {
    guard try Self.tables.exist(in: group) else { return nil }
    try self.init(group)
  }

  /// Makes the store, if there is none.
  package static func make(in group: WriteGroup) throws(StorageError) -> BootstrapStore {
    try tables.make(in: group)
    return try BootstrapStore(group)
  }

  private init(_ group: WriteGroup) throws(StorageError) {
    bootstraps = try InternalTables.table(Self.tableName, group)
    changesets = try InternalTables.table("flx_pending_bootstrap_changesets", group)
    progresses = try InternalTables.table("flx_pending_bootstrap_progress", group)
  }

  // MARK: Storing

  /// Adds the entries of a message.
  ///
  /// - Parameter cursors: The cursors of the last message; nil if more are to come.
  /// - Returns: Whether it is the first message of its bootstrap.
  package func add(
    _ entries: [DownloadEntry], ofQuery version: UInt64, cursors: SyncCursors?
  ) throws(StorageError) -> Bool {
    for key in try bootstraps.keys() where try queryVersion(of: key) != version {
      try bootstraps.delete(key)
    }
    let primaryKey = TableValue.int(Int64(clamping: version))
    let (key, isFirst): (ObjectKey, Bool)
    if let found = try bootstraps.findRow(primaryKey: primaryKey) {
      (key, isFirst) = (found.key, false)
    } else {
      (key, isFirst) = (try bootstraps.createObject(primaryKey: primaryKey).key, true)
    }
    let list = try bootstraps.list(bootstraps.required("changesets"), key)
    for entry in entries {
      let (part, _) = try list.insertEmbedded(at: try list.count)
      try changesets.set(Int64(clamping: entry.serverVersion), "remote_version", part)
      try changesets.set(
        Int64(clamping: entry.clientVersion), "last_integrated_client_version", part)
      try changesets.set(Int64(clamping: entry.file.rawValue), "origin_file_ident", part)
      try changesets.set(Int64(clamping: entry.timestamp.milliseconds), "origin_timestamp", part)
      try changesets.set(Int64(clamping: entry.originalByteCount), "original_size", part)
      try changesets.set(
        .binary(StoredChangeset.encode(entry.changeset)), changesets.required("data"), part)
    }
    if let cursors { try set(cursors, of: key) }
    return isFirst
  }

  private func set(_ cursors: SyncCursors, of key: ObjectKey) throws(StorageError) {
    let (row, _) = try bootstraps.createEmbedded(bootstraps.required("progress"), of: key)
    for (name, number) in [
      ("upload_server_version", cursors.upload.serverVersion),
      ("upload_client_version", cursors.upload.clientVersion),
      ("download_server_version", cursors.download.serverVersion),
      ("download_client_version", cursors.download.clientVersion),
      ("latest_server_version", cursors.latest.version),
    ] {
      try progresses.set(Int64(clamping: number), name, row)
    }
    try progresses.set(Int64(clamping: cursors.latest.salt), "latest_server_version_salt", row)
  }

  // MARK: Reading

  /// The query version of the stored bootstrap, and its cursors if it is complete.
  package func pending() throws(StorageError) -> (
    queryVersion: UInt64, cursors: SyncCursors?
  )? {
    guard let key = try bootstraps.keys().last, let row = try bootstraps.row(of: key) else {
      return nil
    }
    let version = try bootstraps.version("query_version", row)
    guard case .link(let link) = try row.value(of: bootstraps.required("progress")),
      let progress = try progresses.row(of: link)
    else { return (version, nil) }
    return (version, try cursors(progress))
  }

  private func cursors(_ row: Row) throws(StorageError) -> SyncCursors {
    SyncCursors(
      download: DownloadCursor(
        serverVersion: try progresses.version("download_server_version", row),
        clientVersion: try progresses.version("download_client_version", row)),
      upload: UploadCursor(
        clientVersion: try progresses.version("upload_client_version", row),
        serverVersion: try progresses.version("upload_server_version", row)),
      latest: SaltedVersion(
        version: try progresses.version("latest_server_version", row),
        salt: try progresses.version("latest_server_version_salt", row)))
  }

  /// Takes the first entries out, about as many bytes as said, and at least one.
  package func takeFirst(
    byteCount: Int
  ) throws(StorageError) -> (entries: [DownloadEntry], isLast: Bool) {
    guard let key = try bootstraps.keys().last else { return ([], true) }
    let list = try bootstraps.list(bootstraps.required("changesets"), key)
    let count = try list.count
    var entries: [DownloadEntry] = []
    var taken = 0
    while entries.count < count, entries.isEmpty || taken < byteCount {
      guard case .link(let part) = try list.value(at: entries.count),
        let row = try changesets.row(of: part)
      else { throw .corrupted("a changeset of a bootstrap is missing") }
      let entry = try self.entry(row)
      taken += entry.changeset.count
      entries.append(entry)
    }
    if entries.count == count {
      try list.removeAll()
    } else {
      for _ in entries { try list.remove(at: 0) }
    }
    return (entries, entries.count == count)
  }

  private func entry(_ row: Row) throws(StorageError) -> DownloadEntry {
    var stored: [UInt8] = []
    if case .binary(let bytes) = try row.value(of: changesets.required("data")) { stored = bytes }
    return DownloadEntry(
      serverVersion: try changesets.version("remote_version", row),
      clientVersion: try changesets.version("last_integrated_client_version", row),
      timestamp: OriginTimestamp(
        milliseconds: try changesets.version("origin_timestamp", row)),
      file: FileIdentifier(try changesets.version("origin_file_ident", row)),
      originalByteCount: try changesets.version("original_size", row),
      changeset: try StoredChangeset.decode(stored))
  }

  /// Drops whatever is stored.
  package func removeAll() throws(StorageError) {
    for key in try bootstraps.keys() { try bootstraps.delete(key) }
  }

  private func queryVersion(of key: ObjectKey) throws(StorageError) -> UInt64 {
    guard let row = try bootstraps.row(of: key) else { return 0 }
    return try bootstraps.version("query_version", row)
  }
}
