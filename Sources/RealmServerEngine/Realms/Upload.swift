// SPDX-License-Identifier: Apache-2.0

// What an UPLOAD message brings.

package import RealmSyncProtocol

/// A client's changes and its progress.
package struct Upload: Hashable, Sendable {
  /// One version of the client's history.
  package struct Entry: Hashable, Sendable {
    package var clientVersion: UInt64
    /// The newest server version that was integrated when the change was made.
    package var serverVersion: UInt64
    package var timestamp: OriginTimestamp
    /// The author; `FileIdentifier.own` for the client itself, and nothing else is legal.
    package var originFile: FileIdentifier
    package var changeset: [UInt8]

    package init(
      clientVersion: UInt64, serverVersion: UInt64, timestamp: OriginTimestamp,
      originFile: FileIdentifier = .own, changeset: [UInt8]
    ) {
      self.clientVersion = clientVersion
      self.serverVersion = serverVersion
      self.timestamp = timestamp
      self.originFile = originFile
      self.changeset = changeset
    }
  }

  package var file: FileIdentifier
  package var entries: [Entry]
  package var progressClientVersion: UInt64
  package var progressServerVersion: UInt64
  package var lockedServerVersion: UInt64

  package init(
    file: FileIdentifier, entries: [Entry], progressClientVersion: UInt64,
    progressServerVersion: UInt64, lockedServerVersion: UInt64 = 0
  ) {
    self.file = file
    self.entries = entries
    self.progressClientVersion = progressClientVersion
    self.progressServerVersion = progressServerVersion
    self.lockedServerVersion = lockedServerVersion
  }

  /// The sizes of all changesets.
  package var byteCount: Int { entries.reduce(0) { $0 + $1.changeset.count } }
}
