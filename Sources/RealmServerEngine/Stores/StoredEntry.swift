// SPDX-License-Identifier: Apache-2.0

// One version of a realm's history.

package import RealmSyncProtocol

/// The origin of a version of a realm: a changeset as it was applied, and its author.
package struct StoredEntry: Hashable, Sendable {
  package var version: UInt64
  /// A random number, to distinguish this version from a restored backup's of the same number: 63
  /// bits, never 0.
  package var salt: UInt64
  /// The author.
  package var file: FileIdentifier
  /// The version of the author's own history; 0 for the server's changes.
  package var clientVersion: UInt64
  /// The author's time, passed on unchanged.
  package var timestamp: OriginTimestamp
  /// The server's time when the version was made.
  package var committed: OriginTimestamp
  /// The size of the changeset as its author sent it.
  package var originalByteCount: Int
  /// The sum of these sizes up to this version.
  package var totalByteCount: Int
  /// The changeset after merging; none if all of it lost.
  package var changeset: [UInt8]
  /// The touched objects of the version; none in realms without views.
  package var touches: [Touch]

  package init(
    version: UInt64, salt: UInt64, file: FileIdentifier, clientVersion: UInt64,
    timestamp: OriginTimestamp, committed: OriginTimestamp, originalByteCount: Int,
    totalByteCount: Int, changeset: [UInt8], touches: [Touch] = []
  ) {
    self.version = version
    self.salt = salt
    self.file = file
    self.clientVersion = clientVersion
    self.timestamp = timestamp
    self.committed = committed
    self.originalByteCount = originalByteCount
    self.totalByteCount = totalByteCount
    self.changeset = changeset
    self.touches = touches
  }

  /// The part for merging.
  package var origin: ChangesetOrigin {
    ChangesetOrigin(
      version: version, remoteVersion: clientVersion, file: file, timestamp: timestamp)
  }
}
