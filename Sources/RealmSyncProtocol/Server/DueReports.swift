// SPDX-License-Identifier: Apache-2.0

// The reports of refused writes that a session has to send, each with its DOWNLOAD (P1 C.7).
//
// Invariants:
// 1. A report is sent before the first DOWNLOAD that reaches its version, and the steady state has
//    an entry of exactly the version that the report names. Clients hold a report back until they
//    integrate an entry of this version or a newer one of the steady state, and end if the first
//    entry that they integrate is newer.
// 2. The named versions of a session grow.
// 3. Where a bootstrap reaches the versions, its own is named, and an entry follows its last part.

/// Reports in the order of their versions.
struct DueReports: Hashable, Sendable {
  private var reports: [CompensatingWriteReport] = []
  /// The memory of the reports, about.
  private(set) var byteCount = 0
  /// The version of a bootstrap that a report has named.
  private var passed: UInt64?
  /// The writes of asymmetric classes whose versions a DOWNLOAD has reached.
  private var refused: RefusedWriteReport?

  /// Whether a DOWNLOAD up to a version takes some of them along.
  func isDue(at version: UInt64) -> Bool {
    reports.first.map { $0.serverVersion <= version } ?? false
  }

  mutating func append(_ more: [CompensatingWriteReport]) {
    reports += more
    for report in more { byteCount += report.byteCount }
  }

  /// Takes the reports of the versions that a DOWNLOAD reaches, and puts in the entries that they
  /// need.
  ///
  /// - Parameter cursor: The client's, before the DOWNLOAD.
  mutating func take(
    for download: inout ServerMessage.Download, after cursor: DownloadCursor
  ) throws(MessageError) -> [CompensatingWriteReport] {
    let end = download.cursors.download
    var due = Array(reports.prefix { $0.serverVersion <= end.serverVersion })
    reports.removeFirst(due.count)
    for report in due {
      byteCount -= report.byteCount
      note(report.refused, report.rejectedClientVersion)
    }
    due.removeAll { $0.updates.isEmpty && !$0.refused.isEmpty }
    guard !due.isEmpty else { return [] }
    guard download.batch ?? .steady == .steady else {
      passed = end.serverVersion
      return Self.named(due, by: [end.serverVersion])
    }
    var entries = try download.body.downloadEntries()
    let count = entries.count
    if download.batch != nil {
      // What undoes the writes may have gone into a newer version of the same objects.
      for report in due where report.serverVersion > cursor.serverVersion {
        entries.insertEmpty(report.serverVersion, after: cursor)
      }
    }
    if due.last?.serverVersion ?? 0 > entries.last?.serverVersion ?? 0 {
      entries.insertEmpty(end.serverVersion, after: end)
    }
    if entries.count > count { download.body = MessageBody(downloads: entries) }
    return Self.named(due, by: entries.map(\.serverVersion))
  }

  private mutating func note(_ updates: [RejectedUpdate], _ clientVersion: UInt64) {
    guard !updates.isEmpty else { return }
    var report =
      refused ?? RefusedWriteReport(rejectedClientVersion: clientVersion, updates: [])
    report.rejectedClientVersion = clientVersion
    report.updates += updates
    refused = report
  }

  /// Whether writes of asymmetric classes are to be reported after the next DOWNLOAD.
  var hasRefused: Bool { refused != nil }

  /// Takes the writes of asymmetric classes, after a DOWNLOAD that has reached their versions: the
  /// error ends the session, and a client that has reached them does not get it again.
  mutating func takeRefused() -> RefusedWriteReport? {
    defer { refused = nil }
    return refused
  }

  /// The DOWNLOAD that releases the report of a bootstrap; nil if the bootstrap has none, or goes
  /// on.
  mutating func takeRelease(after download: ServerMessage.Download) -> ServerMessage.Download? {
    guard let version = passed, let query = download.queryVersion, download.batch == .last else {
      return nil
    }
    passed = nil
    var entries: [DownloadEntry] = []
    entries.insertEmpty(version, after: download.cursors.download)
    return ServerMessage.Download(
      cursors: download.cursors,
      progress: .flexible(queryVersion: query, batch: .steady, done: .estimate(1)),
      body: MessageBody(downloads: entries))
  }

  /// Reports that name the first version at or after their own, as a bootstrap or a state may have
  /// none of theirs. Those that would name the same become one.
  private static func named(
    _ reports: some Sequence<CompensatingWriteReport>, by versions: [UInt64]
  ) -> [CompensatingWriteReport] {
    var result: [CompensatingWriteReport] = []
    var rest = versions[...]
    for var report in reports {
      rest = rest.drop { $0 < report.serverVersion }
      report.serverVersion = rest.first ?? report.serverVersion
      if let last = result.indices.last, result[last].serverVersion == report.serverVersion {
        result[last].rejectedClientVersion = report.rejectedClientVersion
        result[last].updates += report.updates
      } else {
        result.append(report)
      }
    }
    return result
  }
}

extension [DownloadEntry] {
  /// Puts in an entry without changes, unless there is one of its version.
  fileprivate mutating func insertEmpty(_ version: UInt64, after cursor: DownloadCursor) {
    let place = firstIndex { $0.serverVersion >= version } ?? count
    guard !indices.contains(place) || self[place].serverVersion > version else { return }
    let before = place > 0 ? self[place - 1] : nil
    let position = DownloadCursor(
      serverVersion: version,
      clientVersion: Swift.max(before?.clientVersion ?? 0, cursor.clientVersion))
    insert(
      DownloadEntry(
        ofServer: [], at: position, before?.timestamp ?? OriginTimestamp(milliseconds: 0)),
      at: place)
  }
}

extension CompensatingWriteReport {
  fileprivate var byteCount: Int {
    (updates + refused).reduce(MemoryLayout<Self>.stride) { count, update in
      count + MemoryLayout<RejectedUpdate>.stride + update.reason.utf8.count
        + update.table.utf8.count
    }
  }
}
