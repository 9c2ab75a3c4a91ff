// SPDX-License-Identifier: Apache-2.0

// What can be known of an entry without reading its changesets.

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
