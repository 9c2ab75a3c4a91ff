// SPDX-License-Identifier: Apache-2.0

// Bootstraps as messages (P4 B.3), and rounds that are too large for one (P4 B.4).

import RealmSyncProtocol

/// A download that is sent in parts, of which the last one says that it is.
struct DownloadParts: Sendable {
  private let query: SessionQuery
  private let cursors: SyncCursors
  /// Entries that are written, a group for each part; the next part is the last group.
  private var groups: [[Download.Entry]] = []
  /// What is written once the groups are sent.
  private(set) var rest: Bootstrap?
  /// The bytes of the groups.
  private(set) var byteCount = 0
  /// The bytes of the entries that were written before.
  private let total: Int
  private let byteCountMax: Int

  /// - Parameter byteCountMax: Of entries that are written, a part takes no further one that would
  ///   make it larger; others are written for it until it is so large.
  init(_ download: Download, of query: SessionQuery, byteCountMax: Int) {
    self.query = query
    cursors = SyncCursors(download)
    total = download.byteCount
    self.byteCountMax = byteCountMax
    rest = download.rest
    var size = 0
    for entry in download.entries {
      let count = entry.changeset.count
      if groups.isEmpty || size > 0 && size + count > byteCountMax {
        groups.append([])
        size = 0
      }
      groups[groups.count - 1].append(entry)
      size += count
    }
    groups.reverse()
    byteCount = total
  }

  var isEmpty: Bool { groups.isEmpty && rest == nil }

  /// What the next part has room for, if entries have to be written for it; nil if not.
  var unwritten: (bootstrap: Bootstrap, byteLimit: Int)? {
    guard let rest, groups.count < 2, byteCount < byteCountMax else { return nil }
    return (rest, byteCountMax - byteCount)
  }

  /// Adds entries to the next part.
  mutating func add(_ entries: [Download.Entry], rest: Bootstrap) {
    assert(unwritten != nil && !entries.isEmpty, "clients wait for ever for a part without entries")
    groups = [(groups.first ?? []) + entries]
    byteCount += entries.reduce(0) { $0 + $1.changeset.count }
    self.rest = rest.isComplete ? nil : rest
  }

  /// Takes the next part, whose entries are written.
  mutating func take() -> ServerDownload? {
    guard let entries = groups.popLast() else { return nil }
    byteCount -= entries.reduce(0) { $0 + $1.changeset.count }
    let body = MessageBody(downloads: entries.map { DownloadEntry($0) })
    return ServerDownload(
      cursors: cursors,
      progress: .flexible(
        queryVersion: query.version, batch: isEmpty ? .last : .moreToCome,
        done: .estimate(progress)),
      body: body)
  }

  /// The part of the download that was taken.
  private var progress: Double {
    if isEmpty { return 1 }
    guard let rest else { return 1 - Double(byteCount) / Double(max(total, 1)) }
    // A round before a bootstrap is little beside it.
    return groups.isEmpty ? rest.progress : 0
  }
}

extension DownloadEntry {
  /// An entry as a message has it.
  init(_ entry: Download.Entry) {
    self.init(
      serverVersion: entry.serverVersion, clientVersion: entry.clientVersion,
      timestamp: entry.timestamp, file: entry.originFile,
      originalByteCount: UInt64(entry.originalByteCount), changeset: entry.changeset)
  }
}

extension SyncCursors {
  /// The cursors of a message with a download.
  init(_ download: Download) {
    self.init(
      download: download.cursor,
      upload: UploadCursor(
        clientVersion: download.uploadedClientVersion,
        serverVersion: download.uploadedServerVersion),
      latest: SaltedVersion(version: download.latestVersion, salt: download.latestSalt))
  }
}
