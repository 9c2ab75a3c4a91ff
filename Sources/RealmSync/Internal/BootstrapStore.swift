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

  private static let changesetLayout = RecordLayout(
    "flx_pending_bootstrap_changesets", kind: .embedded,
    [
      RecordField("remote_version", .int), RecordField("last_integrated_client_version", .int),
      RecordField("origin_file_ident", .int), RecordField("origin_timestamp", .int),
      RecordField("original_size", .int), RecordField("data", .binary, isNullable: true),
    ])
  private static let progressLayout = RecordLayout(
    "flx_pending_bootstrap_progress", kind: .embedded,
    [
      RecordField("upload_server_version", .int), RecordField("upload_client_version", .int),
      RecordField("download_server_version", .int), RecordField("download_client_version", .int),
      RecordField("latest_server_version", .int), RecordField("latest_server_version_salt", .int),
    ])
  private static let layout = RecordLayout(
    tableName, hasPrimaryKey: true,
    [
      RecordField("query_version", .int),
      RecordField("changesets", .link, collection: .list, target: changesetLayout.name),
      RecordField("progress", .link, target: progressLayout.name),
    ])
  private static let tables = InternalTables(
    name: "pending_bootstraps", version: 1, tables: [changesetLayout, progressLayout, layout])

  private let bootstraps: RecordTable
  private let changesets: RecordTable
  private let progresses: RecordTable

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
    bootstraps = try Self.layout.table(in: group)
    changesets = try Self.changesetLayout.table(in: group)
    progresses = try Self.progressLayout.table(in: group)
  }

  // MARK: Storing

  /// Adds the entries of a message.
  ///
  /// - Parameter cursors: The cursors of the last message; nil if more are to come.
  /// - Returns: Whether it is the first message of its bootstrap.
  package func add(
    _ entries: [DownloadEntry], ofQuery version: UInt64, cursors: SyncCursors?
  ) throws(StorageError) -> Bool {
    for key in try bootstraps.keys() where try bootstraps.version(of: key) != version {
      try bootstraps.delete(key)
    }
    let isFirst = try bootstraps.count() == 0
    let bootstrap = try bootstraps.findOrCreate(.int(Int64(clamping: version)))
    for entry in entries {
      let part = try bootstrap.append(to: "changesets", in: changesets)
      try part.set(clamping: entry.serverVersion, "remote_version")
      try part.set(clamping: entry.clientVersion, "last_integrated_client_version")
      try part.set(clamping: entry.file.rawValue, "origin_file_ident")
      try part.set(clamping: entry.timestamp.milliseconds, "origin_timestamp")
      try part.set(clamping: entry.originalByteCount, "original_size")
      try part.set(StoredChangesetFraming.encode(entry.changeset), "data")
    }
    if let cursors { try store(cursors, of: bootstrap) }
    assert((try? bootstraps.count()) == 1, "BootstrapStore 1")
    return isFirst
  }

  private func store(_ cursors: SyncCursors, of bootstrap: RecordRow) throws(StorageError) {
    let progress = try bootstrap.embed("progress", in: progresses)
    try progress.set(clamping: cursors.upload.serverVersion, "upload_server_version")
    try progress.set(clamping: cursors.upload.clientVersion, "upload_client_version")
    try progress.set(clamping: cursors.download.serverVersion, "download_server_version")
    try progress.set(clamping: cursors.download.clientVersion, "download_client_version")
    try progress.set(clamping: cursors.latest.version, "latest_server_version")
    try progress.set(clamping: cursors.latest.salt, "latest_server_version_salt")
  }

  // MARK: Reading

  /// The stored bootstrap; nil if there is none.
  private func newest() throws(StorageError) -> RecordRow? {
    guard let key = try bootstraps.keys().last else { return nil }
    return try bootstraps.record(key)
  }

  /// The query version of the stored bootstrap, and its cursors if it is complete.
  package func pending() throws(StorageError) -> (
    queryVersion: UInt64, cursors: SyncCursors?
  )? {
    guard let bootstrap = try newest() else { return nil }
    let version = try bootstrap.natural("query_version")
    guard let progress = try bootstrap.link("progress", in: progresses) else {
      return (version, nil)
    }
    return (version, try cursors(progress))
  }

  private func cursors(_ progress: RecordRow) throws(StorageError) -> SyncCursors {
    SyncCursors(
      download: DownloadCursor(
        serverVersion: try progress.natural("download_server_version"),
        clientVersion: try progress.natural("download_client_version")),
      upload: UploadCursor(
        clientVersion: try progress.natural("upload_client_version"),
        serverVersion: try progress.natural("upload_server_version")),
      latest: SaltedVersion(
        version: try progress.natural("latest_server_version"),
        salt: try progress.natural("latest_server_version_salt")))
  }

  /// Takes the first entries out, about as many bytes as said, and at least one.
  package func takeFirst(
    byteCount: Int
  ) throws(StorageError) -> (entries: [DownloadEntry], isLast: Bool) {
    guard let bootstrap = try newest() else { return ([], true) }
    let list = try bootstrap.list("changesets")
    let count = try list.count
    var entries: [DownloadEntry] = []
    var taken = 0
    while entries.count < count, entries.isEmpty || taken < byteCount {
      guard case .link(let key) = try list.value(at: entries.count),
        let part = try changesets.record(key)
      else { throw .corrupted("a changeset of a bootstrap is missing") }
      let entry = try self.entry(part)
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

  private func entry(_ part: RecordRow) throws(StorageError) -> DownloadEntry {
    DownloadEntry(
      serverVersion: try part.natural("remote_version"),
      clientVersion: try part.natural("last_integrated_client_version"),
      timestamp: OriginTimestamp(milliseconds: try part.natural("origin_timestamp")),
      file: FileIdentifier(try part.natural("origin_file_ident")),
      originalByteCount: try part.natural("original_size"),
      changeset: try StoredChangeset.decode(part.optionalBytes("data") ?? []))
  }

  /// Drops whatever is stored.
  package func removeAll() throws(StorageError) { try bootstraps.delete(bootstraps.keys()) }
}

extension RecordTable {
  /// The query version of a stored bootstrap.
  fileprivate func version(of key: ObjectKey) throws(StorageError) -> UInt64 {
    try record(key)?.natural("query_version") ?? 0
  }
}
