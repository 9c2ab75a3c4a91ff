// SPDX-License-Identifier: Apache-2.0

// A change that one client alone is sent.

package import RealmSyncProtocol

/// What the server itself made for a client at a version, beside the entries of all: erasures of
/// objects that left its view, and the states of objects that entered it.
///
/// Its uploads that were made before it knew are merged with this too, as the client merges them,
/// and not with what the entries up to the version say about these objects: the client was not sent
/// that.
package struct PrivateChange: Hashable, Sendable {
  package var file: FileIdentifier
  package var version: UInt64
  /// The time that it was sent with; merging decides by it.
  package var timestamp: OriginTimestamp
  /// The objects that it is about, whatever merging left of the changeset. In files of older
  /// servers those of the changeset.
  package var objects: [ObjectIdentity]
  /// In the form that merging gave it. Without bytes and objects the change removes what is stored
  /// for the version.
  package var changeset: [UInt8]

  package init(
    file: FileIdentifier, version: UInt64, timestamp: OriginTimestamp,
    objects: [ObjectIdentity] = [], changeset: [UInt8]
  ) {
    self.file = file
    self.version = version
    self.timestamp = timestamp
    self.objects = objects
    self.changeset = changeset
  }
}

extension PrivateChange {
  /// Whether it removes what is stored for the version.
  package var isRemoval: Bool { objects.isEmpty && changeset.isEmpty }
}
