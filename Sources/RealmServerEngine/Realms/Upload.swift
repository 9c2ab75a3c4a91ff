// SPDX-License-Identifier: Apache-2.0

// An UPLOAD message for a realm.

package import RealmSyncProtocol

/// A client's changes and its progress.
package struct Upload: Hashable, Sendable {
  package var file: FileIdentifier
  package var entries: [UploadEntry]
  package var progress: UploadCursor
  package var lockedServerVersion: UInt64
  /// The client's view, as far as its session knows; nil in partition mode.
  package var query: EffectiveQuery?

  package init(
    file: FileIdentifier, entries: [UploadEntry], progress: UploadCursor,
    lockedServerVersion: UInt64 = 0, query: EffectiveQuery? = nil
  ) {
    self.query = query
    self.file = file
    self.entries = entries
    self.progress = progress
    self.lockedServerVersion = lockedServerVersion
  }

  /// The sizes of all changesets.
  package var byteCount: Int { entries.reduce(0) { $0 + $1.changeset.count } }
}
