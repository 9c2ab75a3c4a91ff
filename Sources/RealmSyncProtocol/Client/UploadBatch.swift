// SPDX-License-Identifier: Apache-2.0

// What a scan of a file's history found for uploading.

/// Changesets for one UPLOAD.
package struct UploadBatch: Hashable, Sendable {
  package var entries: [UploadEntry]
  /// How far the scan came, entries that need no upload included.
  package var progress: UploadCursor
  package var lockedServerVersion: UInt64
  /// Whether the scan reached its limit.
  package var isComplete: Bool

  package init(
    entries: [UploadEntry] = [], progress: UploadCursor, lockedServerVersion: UInt64 = 0,
    isComplete: Bool = true
  ) {
    self.entries = entries
    self.progress = progress
    self.lockedServerVersion = lockedServerVersion
    self.isComplete = isComplete
  }
}
