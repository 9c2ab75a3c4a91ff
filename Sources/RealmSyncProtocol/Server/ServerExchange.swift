// SPDX-License-Identifier: Apache-2.0

// What a session of the server has only while DOWNLOADs and UPLOADs are exchanged.

/// The cursors, queries and MARKs of a session from the answer to IDENT on.
struct ServerExchange: Hashable, Sendable {
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
  /// Whether a bootstrap was asked for, or begun, and is not sent completely.
  private var isBootstrapping = false
  /// Whether a part of a bootstrap was sent last.
  private(set) var isInsideBootstrap = false
  /// The version of a compensating write whose error the client holds back: it hands errors to the
  /// program at a DOWNLOAD of the steady state with changesets (P5 5). 0 if there is none.
  private var heldVersion: UInt64 = 0
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
  }

  /// Whether a DOWNLOAD must be sent even if the realm has no newer version. Progress without
  /// changes is acknowledged by the next one: an answer would move the client's cursor, and the
  /// client would report that in turn, as long as there are new versions.
  private var owesDownload: Bool {
    owesFirstDownload || sent.upload.clientVersion < owedVersion
  }

  /// Whether a DOWNLOAD is to be made, where `head` is the newest version of the realm.
  func needsDownload(head: UInt64) -> Bool {
    owesDownload || isBootstrapping || head > scanned.serverVersion
      || heldVersion > 0 && scanned.serverVersion >= heldVersion
  }

  /// Notes that a compensating write was reported.
  mutating func didReport(_ version: UInt64) { heldVersion = version }

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
    isBootstrapping = true
  }

  /// Notes that a bootstrap of the active query is due.
  mutating func didChangeView() { isBootstrapping = true }

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
    guard !owesDownload, !isBootstrapping else { return [] }
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
    if download.batch == .last {
      isBootstrapping = download.queryVersion ?? 0 < askedQueryVersion
    }
    if download.batch == .steady, !download.body.isEmpty,
      sent.download.serverVersion >= heldVersion
    {
      heldVersion = 0
    }
    isInsideBootstrap = download.batch == .moreToCome
    if isInsideBootstrap { isBootstrapping = true }
    threshold.didSend(serverVersion: sent.download.serverVersion)
    return true
  }

  /// Whether a DOWNLOAD would only move the client's cursor by a little, or acknowledge progress.
  private func isWithoutNews(_ download: ServerMessage.Download) -> Bool {
    guard download.body.isEmpty, !isBootstrapping else { return false }
    let distance = download.cursors.download.serverVersion - sent.download.serverVersion
    return distance < Self.cursorDistanceMax
  }
}
