// SPDX-License-Identifier: Apache-2.0

// Bootstraps as messages (P4 B.3).

import RealmSyncProtocol

/// Cuts a bootstrap into messages.
enum BootstrapMessages {
  /// The messages of a bootstrap, of which the last one says that it is.
  static func make(
    _ bootstrap: Download, of query: SessionQuery, byteCountMax: Int
  ) -> [ServerDownload] {
    assert(!bootstrap.entries.isEmpty, "clients wait forever for a bootstrap without entries")
    var groups: [[DownloadEntry]] = [[]]
    var byteCounts = [0]
    for entry in bootstrap.entries {
      let byteCount = entry.changeset.count
      if let last = byteCounts.last, last > 0, last + byteCount > byteCountMax {
        groups.append([])
        byteCounts.append(0)
      }
      groups[groups.count - 1].append(DownloadEntry(entry))
      byteCounts[groups.count - 1] += byteCount
    }
    let total = byteCounts.reduce(0, +)
    var sent = 0
    return groups.enumerated().map { (index, entries) in
      let isLast = index == groups.count - 1
      sent += byteCounts[index]
      return ServerDownload(
        cursors: SyncCursors(bootstrap),
        progress: .flexible(
          queryVersion: query.version, batch: isLast ? .last : .moreToCome,
          done: .estimate(isLast ? 1 : Double(sent) / Double(max(total, 1)))),
        body: MessageBody(downloads: entries))
    }
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
