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

/// The contents of one UPLOAD, encoded and compressed where the scan is.
package struct UploadContents: Hashable, Sendable {
  package let body: MessageBody
  /// The version of the last changeset; nil if there is none.
  package let lastVersion: UInt64?
  package let progress: UploadCursor
  package let lockedServerVersion: UInt64
  package let isComplete: Bool

  package init(_ batch: UploadBatch) { self.init(batch, MessageBody(uploads: batch.entries)) }

  /// - Parameter body: The entries of the batch.
  package init(_ batch: UploadBatch, _ body: MessageBody) {
    self.body = body
    lastVersion = batch.entries.last?.clientVersion
    progress = batch.progress
    lockedServerVersion = batch.lockedServerVersion
    isComplete = batch.isComplete
  }
}
