// SPDX-License-Identifier: Apache-2.0

// A download, as far as the file is concerned.

package import RealmSyncProtocol

/// A DOWNLOAD of the steady state.
package struct Download: Hashable, Sendable {
  package var cursors: SyncCursors
  /// Bytes, or in flexible mode the estimate of progress times 10,000.
  package var downloadableByteCount: Int
  package var entries: [DownloadEntry]

  package init(
    cursors: SyncCursors, downloadableByteCount: Int = 0, entries: [DownloadEntry] = []
  ) {
    self.cursors = cursors
    self.downloadableByteCount = downloadableByteCount
    self.entries = entries
  }
}
