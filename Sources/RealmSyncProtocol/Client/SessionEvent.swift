// SPDX-License-Identifier: Apache-2.0

// The reports of a session to the app.

/// News of a session.
package enum SessionEvent: Hashable, Sendable {
  /// An error with an action that is the app's or the user's business.
  case error(ErrorCode, ErrorDocument)
  /// The server cannot go on now; the session tries again by itself.
  case delayed(ErrorCode, ErrorDocument)
  /// The server undid writes, and the file has the changes that undo them.
  case compensatingWrite(CompensatingWriteReport, ErrorDocument)
  /// The file could not be written or read.
  case storageFailure(StoreFailure)
  /// The server does not accept a subscription set.
  case queryRejected(version: UInt64, message: String)
  /// How far a DOWNLOAD has brought the file.
  case downloadProgress(SyncCursors, ServerMessage.Progress)
  case log(ServerMessage.LogMessage)
}
