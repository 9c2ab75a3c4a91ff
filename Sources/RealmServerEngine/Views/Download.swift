// SPDX-License-Identifier: Apache-2.0

// What a DOWNLOAD message brings.

package import RealmSyncProtocol

/// Changes for a client, and how far they take it.
package struct Download: Hashable, Sendable {
  /// One changeset.
  package struct Entry: Hashable, Sendable {
    package var serverVersion: UInt64
    /// The newest client version that was integrated before.
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
  /// The client's position after it.
  package var cursor: DownloadCursor
  /// The newest version of the server and its salt.
  package var latestVersion: UInt64
  package var latestSalt: UInt64
  /// What the client has uploaded, as it is on the disk: the client version, and the server version
  /// that it acknowledged.
  package var uploadedClientVersion: UInt64
  package var uploadedServerVersion: UInt64
  /// The sizes of what is left after it.
  package var remainingByteCount: Int

  /// The sizes of all changesets.
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
}
