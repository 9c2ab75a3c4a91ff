// SPDX-License-Identifier: Apache-2.0

// What a scan of a file's history found for uploading, as a message has it.

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
