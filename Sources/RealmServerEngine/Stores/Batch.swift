// SPDX-License-Identifier: Apache-2.0

// What goes into a store at once.

package import RealmSyncProtocol

/// Changes of a realm that are stored together, or not at all.
package struct Batch: Hashable, Sendable {
  /// The versions that follow the newest one, in order.
  package var entries: [StoredEntry]
  /// Client files in their new state. Reciprocals and private changes up to their
  /// `reciprocalBase` go with that.
  package var files: [ClientFile]
  /// Expired client files that are removed; their identifiers are not given again.
  package var forgotten: [FileIdentifier]
  package var reciprocals: [ReciprocalChange]
  package var privates: [PrivateChange]
  /// The newest version whose entry is to go; nil to keep what is there.
  package var trimsThrough: UInt64?
  /// The newest version whose entry is not to be read any more, and stays where it is; nil for
  /// none.
  package var skipsThrough: UInt64?

  package init(
    entries: [StoredEntry] = [], files: [ClientFile] = [], forgotten: [FileIdentifier] = [],
    reciprocals: [ReciprocalChange] = [], privates: [PrivateChange] = [],
    trimsThrough: UInt64? = nil, skipsThrough: UInt64? = nil
  ) {
    self.forgotten = forgotten
    self.skipsThrough = skipsThrough
    self.entries = entries
    self.files = files
    self.reciprocals = reciprocals
    self.privates = privates
    self.trimsThrough = trimsThrough
  }
}

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

/// The new form of an entry after merging with a client's uploads, for the client alone.
package struct ReciprocalChange: Hashable, Sendable {
  package var file: FileIdentifier
  /// The version of the entry.
  package var version: UInt64
  /// None if nothing is left of it.
  package var changeset: [UInt8]

  package init(file: FileIdentifier, version: UInt64, changeset: [UInt8]) {
    self.file = file
    self.version = version
    self.changeset = changeset
  }
}
