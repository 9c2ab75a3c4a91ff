// SPDX-License-Identifier: Apache-2.0

// The author of a changeset, its time, and its base on the other side.

/// The part of a history entry for merging, beside the instructions.
package struct ChangesetOrigin: Hashable, Sendable {
  /// The version of the changeset in its history.
  package var version: UInt64
  /// The newest version of the receiver's history that was integrated before the changeset was
  /// made. Incoming changesets with the same one have the same base.
  package var remoteVersion: UInt64
  /// The file of the changeset's author; `FileIdentifier.own` in a client's own history.
  package var file: FileIdentifier
  package var timestamp: OriginTimestamp

  package init(
    version: UInt64 = 0, remoteVersion: UInt64 = 0, file: FileIdentifier = .own,
    timestamp: OriginTimestamp = OriginTimestamp(milliseconds: 0)
  ) {
    self.version = version
    self.remoteVersion = remoteVersion
    self.file = file
    self.timestamp = timestamp
  }
}
