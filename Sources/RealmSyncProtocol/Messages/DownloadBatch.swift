// SPDX-License-Identifier: Apache-2.0

// The changesets of a DOWNLOAD, and the position of both sides after them.

/// A changeset of the server's history on its way to a client.
package struct DownloadEntry: Hashable, Sendable {
  package var serverVersion: UInt64
  /// The last version of the receiver in the server version.
  package var clientVersion: UInt64
  package var timestamp: OriginTimestamp
  package var file: FileIdentifier
  /// The size of the changeset before it was merged, for statistics.
  package var originalByteCount: UInt64
  package var changeset: [UInt8]

  /// A changeset that the server makes itself.
  package init(ofServer changeset: [UInt8], at cursor: DownloadCursor, _ timestamp: OriginTimestamp)
  {
    self.init(
      serverVersion: cursor.serverVersion, clientVersion: cursor.clientVersion,
      timestamp: timestamp, file: .server, originalByteCount: UInt64(changeset.count),
      changeset: changeset)
  }

  package init(
    serverVersion: UInt64, clientVersion: UInt64, timestamp: OriginTimestamp,
    file: FileIdentifier, originalByteCount: UInt64, changeset: [UInt8]
  ) {
    self.serverVersion = serverVersion
    self.clientVersion = clientVersion
    self.timestamp = timestamp
    self.file = file
    self.originalByteCount = originalByteCount
    self.changeset = changeset
  }
}

/// Changes of a server's history for a client, and how far they take both sides.
package struct DownloadBatch: Hashable, Sendable {
  package var entries: [DownloadEntry]
  package var cursors: SyncCursors
  /// What is left after it, as a client's file has it: bytes, or in flexible mode the estimate of
  /// progress times 10,000.
  package var remaining: Int

  package init(entries: [DownloadEntry] = [], cursors: SyncCursors, remaining: Int = 0) {
    self.entries = entries
    self.cursors = cursors
    self.remaining = remaining
  }
}

extension Collection where Element == DownloadEntry {
  /// The sizes of all changesets.
  package var byteCount: Int { reduce(0) { $0 + $1.changeset.count } }
}

extension MessageBody {
  package init(downloads entries: [DownloadEntry]) {
    var bytes: [UInt8] = []
    for entry in entries {
      bytes.append(
        fields: [
          entry.serverVersion, entry.clientVersion, entry.timestamp.milliseconds,
          entry.file.rawValue, entry.originalByteCount, UInt64(entry.changeset.count),
        ])
      bytes += entry.changeset
    }
    self.init(plain: bytes)
  }

  /// The changesets of a DOWNLOAD.
  package func downloadEntries(
    byteCountMax: Int = downloadByteCountMax
  ) throws(MessageError) -> [DownloadEntry] {
    var reader = EntryReader(bytes: try plain(byteCountMax: byteCountMax))
    var entries: [DownloadEntry] = []
    while !reader.isAtEnd {
      entries.append(
        DownloadEntry(
          serverVersion: try reader.number(), clientVersion: try reader.number(),
          timestamp: OriginTimestamp(milliseconds: try reader.number()),
          file: FileIdentifier(try reader.number()), originalByteCount: try reader.number(),
          changeset: try reader.changeset()))
    }
    return entries
  }
}
