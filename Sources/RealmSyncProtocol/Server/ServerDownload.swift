// SPDX-License-Identifier: Apache-2.0

// The contents of a DOWNLOAD, as a server's realm makes them.

/// A DOWNLOAD without the number of its session.
package struct ServerDownload: Hashable, Sendable {
  package var cursors: SyncCursors
  package var progress: ServerMessage.Progress
  package var body: MessageBody

  package init(cursors: SyncCursors, progress: ServerMessage.Progress, body: MessageBody) {
    self.cursors = cursors
    self.progress = progress
    self.body = body
  }

  /// The place in a bootstrap; nil in partition mode.
  var batch: ServerMessage.BatchState? {
    if case .flexible(_, let batch, _) = progress { batch } else { nil }
  }

  /// The query that it is of; nil in partition mode.
  var queryVersion: UInt64? {
    if case .flexible(let version, _, _) = progress { version } else { nil }
  }
}
