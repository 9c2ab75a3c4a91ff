// SPDX-License-Identifier: Apache-2.0

// A change for one client alone.

package import RealmSyncProtocol

/// Changes by the server for a client at a version, beside the entries of all: erasures of objects
/// that left its view, and the states of objects that entered it.
///
/// Uploads from before the client knew are merged with this too, as the client merges them, and not
/// with the entries up to the version about these objects: the client was not sent those.
package struct PrivateChange: Hashable, Sendable {
  package var file: FileIdentifier
  package var version: UInt64
  /// The time in the message; merging decides by it.
  package var timestamp: OriginTimestamp
  /// The objects of the change, whatever merging left of the changeset. In files of older servers
  /// the changeset's objects.
  package var objects: [ObjectIdentity]
  /// The changeset after merging. Without bytes and objects the change removes the stored one of
  /// the version.
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
  /// Whether it removes the stored one of the version.
  package var isRemoval: Bool { objects.isEmpty && changeset.isEmpty }
}
