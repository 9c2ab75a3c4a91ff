// SPDX-License-Identifier: Apache-2.0

// A change that one client alone is sent.

package import RealmSyncProtocol

/// What a client was sent at a version beside the entries of all: the objects that left its view.
///
/// Its uploads that were made before it knew are merged with this too, as the client merges them.
package struct PrivateChange: Hashable, Sendable {
  package var file: FileIdentifier
  package var version: UInt64
  /// The time that it was sent with; merging decides by it.
  package var timestamp: OriginTimestamp
  /// Without bytes it removes what is stored for the version.
  package var changeset: [UInt8]

  package init(
    file: FileIdentifier, version: UInt64, timestamp: OriginTimestamp, changeset: [UInt8]
  ) {
    self.file = file
    self.version = version
    self.timestamp = timestamp
    self.changeset = changeset
  }
}
