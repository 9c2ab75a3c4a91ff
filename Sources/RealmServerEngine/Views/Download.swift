// SPDX-License-Identifier: Apache-2.0

// A DOWNLOAD message of a realm.

package import RealmSyncProtocol

/// Changes for a client, and how far they take it.
package struct Download: Sendable {
  /// One changeset.
  package struct Entry: Hashable, Sendable {
    package var serverVersion: UInt64
    /// The newest integrated client version before it.
    package var clientVersion: UInt64
    package var timestamp: OriginTimestamp
    package var originFile: FileIdentifier
    package var originalByteCount: Int
    package var changeset: [UInt8]

    package init(
      serverVersion: UInt64, clientVersion: UInt64, timestamp: OriginTimestamp,
      originFile: FileIdentifier, originalByteCount: Int, changeset: [UInt8]
    ) {
      self.serverVersion = serverVersion
      self.clientVersion = clientVersion
      self.timestamp = timestamp
      self.originFile = originFile
      self.originalByteCount = originalByteCount
      self.changeset = changeset
    }
  }

  package var entries: [Entry]
  /// What follows the entries, and is written as it is sent.
  package var rest: Bootstrap?
  /// The client's position after it.
  package var cursor: DownloadCursor
  /// The newest version of the server and its salt.
  package var latestVersion: UInt64
  package var latestSalt: UInt64
  /// The client's uploads on the disk: the client version, and the acknowledged server version.
  package var uploadedClientVersion: UInt64
  package var uploadedServerVersion: UInt64
  /// The sizes of the rest after it.
  package var remainingByteCount: Int

  /// The sizes of the changesets of the entries.
  package var byteCount: Int { entries.reduce(0) { $0 + $1.changeset.count } }

  package init(entries: [Entry], cursor: DownloadCursor, head: RealmHead, file: ClientFile) {
    self.entries = entries
    self.cursor = cursor
    latestVersion = head.version
    latestSalt = head.salt
    uploadedClientVersion = file.clientVersion
    uploadedServerVersion = file.reciprocalBase
    remainingByteCount = 0
  }

  /// A bootstrap of which no entry is written.
  init(_ bootstrap: Bootstrap, head: RealmHead, file: ClientFile) {
    self.init(entries: [], cursor: bootstrap.cursor, head: head, file: file)
    rest = bootstrap
  }
}
