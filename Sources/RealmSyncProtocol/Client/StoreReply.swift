// SPDX-License-Identifier: Apache-2.0

// What became of a session's request to its file.

/// The answer to a `StoreRequest`.
package enum StoreReply: Hashable, Sendable {
  /// The request is carried out, and this is the file's state then.
  case done(SessionFile)
  /// The answer to `scanUploads`.
  case uploads(UploadBatch)
  case failed(StoreFailure)
}
