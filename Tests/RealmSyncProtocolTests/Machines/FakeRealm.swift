// SPDX-License-Identifier: Apache-2.0

// A server's realm in memory that knows only versions.

import RealmSyncProtocol

/// Carries out the requests of servers' sessions. Changesets are just bytes; those of others are
/// in a flexible client's view from its first subscription set on.
struct FakeRealm {
  struct Entry {
    var file: FileIdentifier
    var clientVersion: UInt64
    var changeset: [UInt8]
  }

  /// What a session has of the realm.
  struct View {
    var file = FileIdentifier.own
    /// The query version whose objects the client has; nil for none.
    var query: UInt64?
    /// The bootstrap that is to be sent, and its parts that are made.
    var target: UInt64?
    var parts: [ServerMessage.Download] = []
  }

  private let mode: SyncMode
  /// The first version is the schema.
  private(set) var entries = [Entry(file: .server, clientVersion: 0, changeset: [])]
  private var files: [FileIdentifier: ServerFile] = [:]
  private(set) var problems: [String] = []

  init(_ mode: SyncMode) { self.mode = mode }

  var head: SaltedVersion {
    SaltedVersion(version: UInt64(entries.count), salt: 1_000 + UInt64(entries.count))
  }

  mutating func carryOut(
    _ request: ServerStoreRequest, _ view: inout View, random: Int
  ) -> ServerStoreReply {
    switch request {
    case .bind(let bind):
      guard bind.needsIdent else { return .done }
      let ident = FileIdentifier(UInt64(files.count) + 2)
      files[ident] = ServerFile(ident: ident, salt: ident.rawValue * 11)
      return .bound(ident: ident, salt: ident.rawValue * 11)
    case .lookUp(let ident):
      return .file(
        ServerFileLookup(
          file: files[ident.file], head: head, latestSalt: 1_000 + ident.latest.version))
    case .claim(let ident):
      let isFirst = ident.query?.version == 0 && ident.download.serverVersion == 0
      view = View(
        file: ident.file, query: isFirst ? nil : ident.query?.version, target: isFirst ? 0 : nil)
      guard let file = files[ident.file] else {
        return .refused(SessionRefusal(.badClientFileIdent, "no such file"))
      }
      return .claimed(file, rejected: [])
    case .currentHead: return .head(head)
    case .setQuery(let query):
      view.target = query.version
      view.parts = []
      return .done
    case .integrate(let progress, let locked, let new):
      return integrate(progress, locked, new, view.file)
    case .nextDownload(let cursor):
      guard let target = view.target else { return .download(steady(cursor, view)) }
      if view.parts.isEmpty, view.query != nil, cursor.serverVersion < head.version {
        return .download(steady(cursor, view))
      }
      if view.parts.isEmpty { view.parts = bootstrap(target, view, isSplit: random % 2 == 0) }
      let part = view.parts.removeFirst()
      if view.parts.isEmpty { (view.query, view.target) = (target, nil) }
      return .download(part)
    }
  }

  private mutating func integrate(
    _ progress: UploadCursor, _ locked: UInt64, _ new: [UploadEntry], _ file: FileIdentifier
  ) -> ServerStoreReply {
    for entry in new {
      if entry.clientVersion <= files[file]?.clientVersion ?? 0 { problems.append("a duplicate") }
      entries.append(
        Entry(file: file, clientVersion: entry.clientVersion, changeset: entry.changeset))
      files[file]?.clientVersion = entry.clientVersion
    }
    files[file]?.clientVersion = progress.clientVersion
    files[file]?.reciprocalBase = progress.serverVersion
    files[file]?.lockedServerVersion = locked
    return .integrated(head: head, rejected: [])
  }

  private func cursors(_ download: DownloadCursor, _ file: FileIdentifier) -> SyncCursors {
    SyncCursors(
      download: download,
      upload: UploadCursor(
        clientVersion: files[file]?.clientVersion ?? 0,
        serverVersion: files[file]?.reciprocalBase ?? 0), latest: head)
  }

  private func download(
    _ entry: Entry, at version: UInt64, _ client: UInt64
  ) -> DownloadEntry {
    DownloadEntry(
      serverVersion: version, clientVersion: client,
      timestamp: OriginTimestamp(milliseconds: version), file: entry.file,
      originalByteCount: UInt64(entry.changeset.count), changeset: entry.changeset)
  }

  /// At most three changes a message.
  private func steady(_ cursor: DownloadCursor, _ view: View) -> ServerMessage.Download {
    var position = cursor
    var found: [DownloadEntry] = []
    let isVisible = mode == .partition || view.query ?? 0 > 0
    while position.serverVersion < head.version, found.count < 3 {
      let entry = entries[Int(position.serverVersion)]
      position.serverVersion += 1
      if entry.file == view.file {
        position.clientVersion = max(position.clientVersion, entry.clientVersion)
      } else if isVisible, !entry.changeset.isEmpty {
        found.append(download(entry, at: position.serverVersion, position.clientVersion))
      }
    }
    let progress: ServerMessage.Progress =
      mode == .partition
      ? .partition(byteCountLeft: 0)
      : .flexible(queryVersion: view.query ?? 0, batch: .steady, done: .estimate(1))
    return ServerMessage.Download(
      cursors: cursors(position, view.file), progress: progress,
      body: MessageBody(downloads: found))
  }

  private func bootstrap(_ target: UInt64, _ view: View, isSplit: Bool) -> [ServerMessage.Download]
  {
    let client = files[view.file]?.clientVersion ?? 0
    var found: [DownloadEntry] = []
    if target > 0, view.query ?? 0 == 0 {
      for entry in entries where entry.file != view.file && !entry.changeset.isEmpty {
        found.append(download(entry, at: head.version, client))
      }
    }
    let nothing = Entry(file: .server, clientVersion: 0, changeset: [])
    for index in found.indices { found[index].file = .server }
    if found.isEmpty { found = [download(nothing, at: head.version, client)] }
    let cursors = cursors(
      DownloadCursor(serverVersion: head.version, clientVersion: client), view.file)
    let bodies = isSplit ? [Array(found.prefix(1)), Array(found.dropFirst())] : [found]
    return bodies.enumerated().map { index, entries in
      let isLast = index == bodies.count - 1
      return ServerMessage.Download(
        cursors: cursors,
        progress: .flexible(
          queryVersion: target, batch: isLast ? .last : .moreToCome,
          done: .estimate(isLast ? 1 : 0.5)), body: MessageBody(downloads: entries))
    }
  }
}
