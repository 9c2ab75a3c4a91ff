// SPDX-License-Identifier: Apache-2.0

// With which DOWNLOAD a report of refused writes goes, and which version it names (P1 C.7).

import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSyncProtocol

struct DueReportTests {
  private static func report(_ version: UInt64) -> CompensatingWriteReport {
    CompensatingWriteReport(
      serverVersion: version, rejectedClientVersion: version,
      updates: [RejectedUpdate(notAllowed: .int(Int64(version)), in: "Item")])
  }

  private static func download(
    _ entries: [UInt64], through version: UInt64, isFlexible: Bool = true
  ) -> ServerMessage.Download {
    ServerMessage.Download(
      cursors: SyncCursors(
        download: DownloadCursor(serverVersion: version, clientVersion: version)),
      progress: isFlexible
        ? .flexible(queryVersion: 1, batch: .steady, done: .estimate(1))
        : .partition(byteCountLeft: 0),
      body: MessageBody(
        downloads: entries.map {
          DownloadEntry(
            ofServer: [1], at: DownloadCursor(serverVersion: $0, clientVersion: $0),
            OriginTimestamp(milliseconds: 9))
        }))
  }

  private struct Case {
    let name: Comment
    let reports: [UInt64]
    let cursor: UInt64
    let entries: [UInt64]
    let end: UInt64
    /// The named versions, each with the number of its updates.
    let named: [(UInt64, Int)]
    let sent: [UInt64]
    var isFlexible = true
  }

  private static let cases = [
    Case(
      name: "what undoes it", reports: [6], cursor: 4, entries: [6], end: 6, named: [(6, 1)],
      sent: [6]),
    Case(
      name: "it went into a newer version", reports: [6], cursor: 4, entries: [9], end: 9,
      named: [(6, 1)], sent: [6, 9]),
    Case(
      name: "several", reports: [6, 8, 9], cursor: 4, entries: [5, 7, 9], end: 9,
      named: [(6, 1), (8, 1), (9, 1)], sent: [5, 6, 7, 8, 9]),
    Case(
      name: "nothing else", reports: [6, 7], cursor: 4, entries: [], end: 9,
      named: [(6, 1), (7, 1)], sent: [6, 7]),
    Case(
      name: "later ones wait", reports: [6, 12], cursor: 4, entries: [9], end: 9,
      named: [(6, 1)], sent: [6, 9]),
    Case(
      name: "the state in place of the history", reports: [6, 7], cursor: 0, entries: [9, 10],
      end: 10, named: [(9, 2)], sent: [9, 10], isFlexible: false),
    Case(
      name: "a partition", reports: [6, 7], cursor: 4, entries: [6, 7], end: 7,
      named: [(6, 1), (7, 1)], sent: [6, 7], isFlexible: false),
  ]

  /// `DueReports` 1 and 2
  @Test func eachReportHasAnEntry() throws {
    for row in Self.cases {
      var due = DueReports()
      due.append(row.reports.map(Self.report))
      var download = Self.download(row.entries, through: row.end, isFlexible: row.isFlexible)
      let reports = try due.take(
        for: &download, after: DownloadCursor(serverVersion: row.cursor, clientVersion: 3))
      expectEqual(reports.map(\.serverVersion), row.named.map(\.0), row.name)
      expectEqual(reports.map(\.updates.count), row.named.map(\.1), row.name)
      let entries = try download.body.downloadEntries()
      expectEqual(entries.map(\.serverVersion), row.sent, row.name)
      // The client's cursors in entries do not go back, and end with the message's.
      let clients = entries.map(\.clientVersion)
      expectEqual(clients, clients.sorted(), row.name)
      expectTrue(clients.allSatisfy { (3...row.end).contains($0) }, row.name)
      expectFalse(due.isDue(at: row.end), row.name)
      expectEqual(due.byteCount > 0, row.reports.contains { $0 > row.end }, row.name)
    }
  }

  /// `DueReports` 3
  @Test(arguments: [1, 2])
  func aBootstrapNamesItsOwnVersion(partCount: Int) throws {
    var due = DueReports()
    due.append([Self.report(6), Self.report(8), Self.report(12)])
    for number in 1...partCount {
      var part = Self.download([10], through: 10)
      let batch: ServerMessage.BatchState = number == partCount ? .last : .moreToCome
      part.progress = .flexible(queryVersion: 2, batch: batch, done: .estimate(1))
      let same = part
      let reports = try due.take(for: &part, after: DownloadCursor())
      expectEqual(part, same)
      expectEqual(reports.map(\.serverVersion), number == 1 ? [10] : [])
      expectEqual(reports.map(\.rejectedClientVersion), number == 1 ? [8] : [])
      expectEqual(reports.map(\.updates.count), number == 1 ? [2] : [])
      let release = due.takeRelease(after: part)
      expectEqual(release == nil, number < partCount)
      guard let release else { continue }
      expectEqual(release.batch, .steady)
      expectEqual(release.cursors, part.cursors)
      try expectEqual(release.body.downloadEntries().map(\.serverVersion), [10])
    }
    var next = Self.download([13], through: 13)
    let reports = try due.take(
      for: &next, after: DownloadCursor(serverVersion: 10, clientVersion: 1))
    expectEqual(reports.map(\.serverVersion), [12])
    expectTrue(due.takeRelease(after: next) == nil)
    expectEqual(due.byteCount, 0)
  }

  /// Nothing is added where nothing is due.
  @Test func aMessageWithoutReportsStaysAsItIs() throws {
    var due = DueReports()
    let download = Self.download([5], through: 6)
    var same = download
    try expectEqual(due.take(for: &same, after: DownloadCursor()), [])
    expectEqual(same, download)
    due.append([Self.report(7)])
    try expectEqual(due.take(for: &same, after: DownloadCursor()), [])
    expectEqual(same, download)
  }
}
