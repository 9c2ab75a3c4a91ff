// SPDX-License-Identifier: Apache-2.0

// Who made a changeset, when, and after which version of the other side.

/// The part of a history entry that merging reads beside the instructions.
package struct ChangesetOrigin: Hashable, Sendable {
  /// The version that the changeset made in the history in which it stands.
  package var version: UInt64
  /// The newest version of the receiver's history that was integrated before the changeset was
  /// made. Incoming changesets with the same one have the same base.
  package var remoteVersion: UInt64
  /// The file in which the changeset was made; `FileIdentifier.own` in a client's own history.
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
