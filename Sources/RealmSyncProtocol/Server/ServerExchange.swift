// SPDX-License-Identifier: Apache-2.0

// What a session of the server has only while DOWNLOADs and UPLOADs are exchanged, and the checks
// of UPLOADs against what the file and the session have reached (P4 A.4).

/// The cursors, queries and MARKs of a session from the answer to IDENT on.
package struct ServerExchange: Hashable, Sendable {
  /// A bootstrap, from its cause to its last message.
  private enum Bootstrap: Hashable, Sendable {
    case none
    /// Nothing of it is sent.
    case due
    /// A part of it was sent last.
    case begun
  }

  private struct Mark: Hashable, Sendable {
    var request: UInt64
    /// The realm's version at receipt.
    var version: UInt64
  }

  /// The most versions that the client's cursor may lag without anything for it.
  private static let cursorDistanceMax = 1_000

  let file: FileIdentifier
  /// The cursors of the last DOWNLOAD that was sent.
  private(set) var sent: SyncCursors
  /// The last version that was scanned; DOWNLOADs without news are not sent.
  private(set) var scanned: DownloadCursor
  private var threshold: UploadThreshold
  /// Whether nothing was sent since IDENT.
  private var owesFirstDownload = true
  /// The newest client version with changes, which a DOWNLOAD has to acknowledge.
  private var owedVersion: UInt64 = 0
  private var bootstrap = Bootstrap.none
  /// Whether the first DOWNLOAD is the bootstrap of a new file.
  private let beginsWithBootstrap: Bool
  /// The reports of compensating writes that were not sent.
  private var reports = DueReports()
  private var marks: [Mark] = []
  private var lastMark: UInt64 = 0
  private var lastQueryVersion: UInt64
  /// The query whose bootstrap was asked for last. Those of the active query, which the server
  /// begins, may come before it.
  private var askedQueryVersion: UInt64 = 0

  init(_ ident: ClientMessage.Ident, _ file: ServerFile) {
    self.file = file.ident
    sent = SyncCursors(
      download: ident.download,
      upload: UploadCursor(
        clientVersion: file.clientVersion, serverVersion: file.reciprocalBase),
      latest: ident.latest)
    scanned = ident.download
    threshold = UploadThreshold(file: file, download: ident.download)
    lastQueryVersion = ident.query?.version ?? 0
    beginsWithBootstrap = ident.query != nil && ident.download.serverVersion == 0
  }

  /// Whether a bootstrap is due of which nothing was sent.
  var owesBootstrap: Bool { bootstrap == .due || owesFirstDownload && beginsWithBootstrap }

  /// Whether a part of a bootstrap was sent last.
  var isInsideBootstrap: Bool { bootstrap == .begun }

  /// Whether a DOWNLOAD must be sent even if the realm has no newer version. Progress without
  /// changes is acknowledged by the next one: an answer would move the client's cursor, and the
  /// client would report that in turn, as long as there are new versions.
  private var owesDownload: Bool {
    owesFirstDownload || sent.upload.clientVersion < owedVersion || reports.hasRefused
  }

  /// Whether a DOWNLOAD is to be made, where `head` is the newest version of the realm.
  func needsDownload(head: UInt64) -> Bool {
    owesDownload || bootstrap != .none || head > scanned.serverVersion
      || reports.isDue(at: scanned.serverVersion)
  }

  /// Notes compensating writes, to be reported with the DOWNLOADs that undo them.
  mutating func add(_ more: [CompensatingWriteReport]) { reports.append(more) }

  /// The memory of the reports that were not sent.
  var reportByteCount: Int { reports.byteCount }

  /// Takes the reports to send before a DOWNLOAD of the realm, which gets the entries for them.
  mutating func takeReports(
    for download: inout ServerMessage.Download
  ) throws(MessageError) -> [CompensatingWriteReport] {
    try reports.take(for: &download, after: sent.download)
  }

  /// The DOWNLOAD to send after one with which a report went.
  mutating func takeRelease(after download: ServerMessage.Download) -> ServerMessage.Download? {
    reports.takeRelease(after: download)
  }

  /// Takes the refused writes that end the session, after a DOWNLOAD was sent.
  mutating func takeRefused() -> RefusedWriteReport? {
    isInsideBootstrap ? nil : reports.takeRefused()
  }

  // MARK: Queries

  /// Takes the version of a QUERY; false if it is not newer than the last.
  mutating func acceptsQuery(_ version: UInt64) -> Bool {
    guard version > lastQueryVersion else { return false }
    lastQueryVersion = version
    return true
  }

  /// Notes that a query became the active one: its bootstrap is due.
  mutating func didSetQuery(_ version: UInt64) {
    askedQueryVersion = version
    bootstrap = .due
  }

  /// Notes that a bootstrap of the active query is due.
  mutating func didChangeView() { bootstrap = .due }

  // MARK: Marks

  /// The memory of the MARKs that wait for their version: a client may send them without end.
  var markByteCount: Int { marks.count * MemoryLayout<Mark>.stride }

  /// Takes the number of a MARK; false if it is not higher than the last.
  mutating func acceptsMark(_ request: UInt64) -> Bool {
    guard request > lastMark else { return false }
    lastMark = request
    return true
  }

  /// Notes the version that the last MARK waits for.
  mutating func didFindHead(_ version: UInt64) {
    marks.append(Mark(request: lastMark, version: version))
  }

  /// Takes the numbers of the MARKs that can be answered now.
  mutating func takeMarks() -> [UInt64] {
    guard !owesDownload, bootstrap == .none else { return [] }
    let ready = marks.prefix { $0.version <= scanned.serverVersion }.map(\.request)
    marks.removeFirst(ready.count)
    return ready
  }

  // MARK: Uploads

  /// Checks an UPLOAD, and counts it from then on. Returns its new part; nil if there is none.
  mutating func check(
    _ upload: ClientMessage.Upload, _ entries: [UploadEntry]
  ) throws(SessionRefusal) -> UploadThreshold.News? {
    let news = try threshold.check(upload, entries)
    if let last = entries.last { owedVersion = max(owedVersion, last.clientVersion) }
    return news
  }

  /// Notes that an upload is on the disk.
  mutating func didStore(_ progress: UploadCursor) { threshold.didStore(progress) }

  // MARK: Downloads

  /// Takes a DOWNLOAD of the realm, whose cursors do not go back. Returns whether it is sent.
  mutating func take(_ download: ServerMessage.Download) -> Bool {
    threshold.didFind(download.cursors.upload)
    scanned = download.cursors.download
    guard owesDownload || !isWithoutNews(download) else { return false }
    // All parts of a bootstrap have the upload cursor of the first.
    sent = download.cursors
    owesFirstDownload = false
    switch download.batch {
    case .last: bootstrap = download.queryVersion ?? 0 < askedQueryVersion ? .due : .none
    case .moreToCome: bootstrap = .begun
    case .steady, nil: if bootstrap == .begun { bootstrap = .due }
    }
    threshold.didSend(serverVersion: sent.download.serverVersion)
    return true
  }

  /// Whether a DOWNLOAD would only move the client's cursor by a little, or acknowledge progress.
  private func isWithoutNews(_ download: ServerMessage.Download) -> Bool {
    guard download.body.isEmpty, bootstrap == .none else { return false }
    let distance = download.cursors.download.serverVersion - sent.download.serverVersion
    return distance < Self.cursorDistanceMax
  }
}

// MARK: Checks of uploads

extension ServerExchange {
  /// The progress of a session's uploads, for checking the next one.
  ///
  /// A client that lost its connection sends again what it does not know to be stored, possibly in
  /// several messages. So a session begins at nothing, and only what it reaches must not go back;
  /// what the record of the file has already is left out of what is to be integrated.
  package struct UploadThreshold: Hashable, Sendable {
    /// The new part of an upload.
    package struct News: Hashable, Sendable {
      package var entries: [UploadEntry]
      /// The file's progress with the upload.
      package var progress: UploadCursor
    }

    private var progress = UploadCursor()
    /// The progress in the record of the file.
    package private(set) var stored: UploadCursor
    private var lockedServerVersion: UInt64
    /// The newest server version in a DOWNLOAD.
    private var sentServerVersion: UInt64

    package init(file: ServerFile, download: DownloadCursor) {
      stored = UploadCursor(
        clientVersion: file.clientVersion, serverVersion: file.reciprocalBase)
      lockedServerVersion = file.lockedServerVersion
      sentServerVersion = download.serverVersion
    }

    /// Notes the version of a DOWNLOAD.
    package mutating func didSend(serverVersion: UInt64) {
      sentServerVersion = max(sentServerVersion, serverVersion)
    }

    /// Notes new progress in the file's record.
    package mutating func didStore(_ progress: UploadCursor) { stored = progress }

    /// Notes progress in the file's record, which may be that of another session, at any server.
    package mutating func didFind(_ progress: UploadCursor) {
      stored.clientVersion = max(stored.clientVersion, progress.clientVersion)
      stored.serverVersion = max(stored.serverVersion, progress.serverVersion)
    }

    /// Checks an upload, and counts it from then on. Returns its new part, nil if there is none.
    package mutating func check(
      _ upload: ClientMessage.Upload, _ entries: [UploadEntry]
    ) throws(SessionRefusal) -> News? {
      let new = upload.progress
      guard new.clientVersion >= progress.clientVersion else {
        throw SessionRefusal(.badClientVersion, "The client version of the progress went back")
      }
      guard new.serverVersion <= sentServerVersion, new.serverVersion >= progress.serverVersion
      else { throw SessionRefusal(.badServerVersion, "Bad server version of the progress") }
      guard upload.lockedServerVersion >= lockedServerVersion,
        upload.lockedServerVersion <= sentServerVersion
      else { throw SessionRefusal(.badServerVersion, "Bad locked server version") }
      var last = UploadCursor()
      for entry in entries {
        guard entry.clientVersion > last.clientVersion, entry.clientVersion <= new.clientVersion
        else { throw SessionRefusal(.badClientVersion, "Bad version of a changeset") }
        // New changesets need the reciprocals after their server version.
        guard entry.serverVersion >= last.serverVersion, entry.serverVersion <= new.serverVersion,
          entry.clientVersion <= stored.clientVersion || entry.serverVersion >= stored.serverVersion
        else { throw SessionRefusal(.badServerVersion, "Bad server version of a changeset") }
        guard entry.file == .own else {
          throw SessionRefusal(
            .badOriginFileIdent, "Bad origin file \(entry.file.rawValue) of a changeset")
        }
        last = UploadCursor(clientVersion: entry.clientVersion, serverVersion: entry.serverVersion)
      }
      let locksMore = upload.lockedServerVersion > lockedServerVersion
      progress = new
      lockedServerVersion = upload.lockedServerVersion
      let reached = UploadCursor(
        clientVersion: max(new.clientVersion, stored.clientVersion),
        serverVersion: max(new.serverVersion, stored.serverVersion))
      guard reached != stored || locksMore else { return nil }
      return News(
        entries: entries.filter { $0.clientVersion > stored.clientVersion }, progress: reached)
    }
  }
}
