// SPDX-License-Identifier: Apache-2.0

// What a scan found for uploading, as a message has it.

/// The contents of one UPLOAD: an `UploadBatch` whose changesets are encoded and compressed, which
/// is done where the scan is.
package struct UploadContents: Hashable, Sendable {
  package let body: MessageBody
  /// The version of the last changeset; nil if there is none.
  package let lastVersion: UInt64?
  package let progress: UploadCursor
  package let lockedServerVersion: UInt64
  package let isComplete: Bool

  package init(_ batch: UploadBatch) {
    body = MessageBody(uploads: batch.entries)
    lastVersion = batch.entries.last?.clientVersion
    progress = batch.progress
    lockedServerVersion = batch.lockedServerVersion
    isComplete = batch.isComplete
  }
}
