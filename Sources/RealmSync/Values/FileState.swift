// SPDX-License-Identifier: Apache-2.0

// The state of a file for its session.

package import RealmStorage
package import RealmSyncProtocol

/// The state of a synchronised file in one version.
package struct FileState: Hashable, Sendable {
  /// The newest version. A file without any commit has version 1, and nothing to upload.
  package var version: UInt64
  /// The file's identifier from the server; `FileIdentifier.own` if it has none.
  package var ident: FileIdentifier
  package var salt: UInt64
  package var cursors: SyncCursors
  package var downloadedByteCount: Int
  package var downloadableByteCount: Int
  package var uploadedByteCount: Int
  package var uploadableByteCount: Int

  package init(_ snapshot: Snapshot) throws(StorageError) {
    version = snapshot.version
    let history = try snapshot.syncHistory()
    ident = FileIdentifier(history == nil ? 0 : UInt64(try snapshot.top().fileIdentifier))
    salt = UInt64(clamping: history?.fileSalt ?? 0)
    let progress = history?.progress ?? SyncProgress()
    cursors = progress.cursors
    downloadedByteCount = progress.downloadedByteCount
    downloadableByteCount = progress.downloadableByteCount
    uploadedByteCount = progress.uploadedByteCount
    uploadableByteCount = progress.uploadableByteCount
  }
}
