// SPDX-License-Identifier: Apache-2.0

// What a session asks a server to do.

/// A request of a session to its realm. One is under way at a time.
package enum ServerStoreRequest: Hashable, Sendable {
  /// Check who it is and what for, and make a client file if one is needed.
  case bind(ClientMessage.Bind)
  /// Find what an IDENT is checked against.
  case lookUp(ClientMessage.Ident)
  /// The session has the file from now on: an older session of another connection that has it
  /// loses it, and the active query becomes the IDENT's.
  case claim(ClientMessage.Ident)
  /// Make the next DOWNLOAD after a cursor. While a bootstrap is due, these are changes up to the
  /// version of the bootstrap (batch state steady), and then the bootstrap, which ends with a
  /// message whose batch state is last.
  case nextDownload(after: DownloadCursor)
  /// Integrate changesets, which are not duplicates, and store the progress durably.
  case integrate(UploadCursor, lockedServerVersion: UInt64, entries: [UploadEntry])
  /// Find the newest version, for a MARK.
  case currentHead
  /// Make another query the active one. A bootstrap of it is due then, in place of one that is not
  /// begun.
  case setQuery(VersionedQuery)
}
