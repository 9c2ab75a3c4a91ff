// SPDX-License-Identifier: Apache-2.0

// What a synchronised file keeps of one of its versions.

/// An entry of the history of a synchronised file: the commit that made one version.
///
/// Changesets are opaque bytes here, as they stand in the file.
package struct SyncEntry: Hashable, Sendable {
  /// What a local commit changed; empty for commits that wrote nothing that is uploaded, and for
  /// those that integrated what other files wrote.
  package var changeset: [UInt8]
  /// The changeset as transformed by what was integrated since; nil while they are the same.
  package var reciprocal: [UInt8]?
  /// The server version of what the commit integrated; of a local commit the one that the file had
  /// integrated by then.
  package var remoteVersion: UInt64
  /// The identifier of the file that made the change; 0 for this one.
  package var originFile: Int
  /// Milliseconds since the beginning of 2015.
  package var originTimestamp: Int64

  package init(
    changeset: [UInt8] = [], reciprocal: [UInt8]? = nil, remoteVersion: UInt64 = 0,
    originFile: Int = 0, originTimestamp: Int64 = 0
  ) {
    self.changeset = changeset
    self.reciprocal = reciprocal
    self.remoteVersion = remoteVersion
    self.originFile = originFile
    self.originTimestamp = originTimestamp
  }

  /// Whether the commit was made by a user of this file.
  package var isLocal: Bool { originFile == 0 }
}

/// An entry without its changesets.
package struct SyncEntryHead: Hashable, Sendable {
  /// The version that the commit made.
  package let version: UInt64
  package let remoteVersion: UInt64
  package let originFile: Int
  package let originTimestamp: Int64
  /// The length of the changeset as it stands in the file.
  package let storedByteCount: Int

  /// Whether the commit was made by a user of this file.
  package var isLocal: Bool { originFile == 0 }

  /// Whether the entry has something for the server.
  package var isUploadable: Bool { isLocal && storedByteCount > 0 }
}
