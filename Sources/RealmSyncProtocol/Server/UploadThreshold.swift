// SPDX-License-Identifier: Apache-2.0

// The checks of UPLOADs against what a file and its session have reached (P4 A.4).

/// The progress of a session's uploads, for checking the next one.
///
/// A client that lost its connection sends again what it does not know to be stored, possibly in
/// several messages. So a session begins at nothing, and only what it reaches must not go back;
/// what the record of the file has already is left out of what is to be integrated.
package struct UploadThreshold: Hashable, Sendable {
  /// The new part of an upload.
  package struct News: Hashable, Sendable {
    package var entries: [UploadEntry]
    /// The file's progress with the upload.
    package var progress: UploadCursor
  }

  private var progress = UploadCursor()
  /// The progress in the record of the file.
  package private(set) var stored: UploadCursor
  private var lockedServerVersion: UInt64
  /// The newest server version in a DOWNLOAD.
  private var sentServerVersion: UInt64

  package init(file: ServerFile, download: DownloadCursor) {
    stored = UploadCursor(
      clientVersion: file.clientVersion, serverVersion: file.reciprocalBase)
    lockedServerVersion = file.lockedServerVersion
    sentServerVersion = download.serverVersion
  }

  /// Notes the version of a DOWNLOAD.
  package mutating func didSend(serverVersion: UInt64) {
    sentServerVersion = max(sentServerVersion, serverVersion)
  }

  /// Notes new progress in the file's record.
  package mutating func didStore(_ progress: UploadCursor) { stored = progress }

  /// Notes progress in the file's record, which may be that of another session, at any server.
  package mutating func didFind(_ progress: UploadCursor) {
    stored.clientVersion = max(stored.clientVersion, progress.clientVersion)
    stored.serverVersion = max(stored.serverVersion, progress.serverVersion)
  }

  /// Checks an upload, and counts it from then on. Returns its new part, nil if there is none.
  package mutating func check(
    _ upload: ClientMessage.Upload, _ entries: [UploadEntry]
  ) throws(SessionRefusal) -> News? {
    let new = upload.progress
    guard new.clientVersion >= progress.clientVersion else {
      throw SessionRefusal(.badClientVersion, "The client version of the progress went back")
    }
    guard new.serverVersion <= sentServerVersion, new.serverVersion >= progress.serverVersion
    else { throw SessionRefusal(.badServerVersion, "Bad server version of the progress") }
    guard upload.lockedServerVersion >= lockedServerVersion,
      upload.lockedServerVersion <= sentServerVersion
    else { throw SessionRefusal(.badServerVersion, "Bad locked server version") }
    var last = UploadCursor()
    for entry in entries {
      guard entry.clientVersion > last.clientVersion, entry.clientVersion <= new.clientVersion
      else { throw SessionRefusal(.badClientVersion, "Bad version of a changeset") }
      // New changesets need the reciprocals after their server version.
      guard entry.serverVersion >= last.serverVersion, entry.serverVersion <= new.serverVersion,
        entry.clientVersion <= stored.clientVersion || entry.serverVersion >= stored.serverVersion
      else { throw SessionRefusal(.badServerVersion, "Bad server version of a changeset") }
      guard entry.file == .own else {
        throw SessionRefusal(
          .badOriginFileIdent, "Bad origin file \(entry.file.rawValue) of a changeset")
      }
      last = UploadCursor(clientVersion: entry.clientVersion, serverVersion: entry.serverVersion)
    }
    let locksMore = upload.lockedServerVersion > lockedServerVersion
    progress = new
    lockedServerVersion = upload.lockedServerVersion
    let reached = UploadCursor(
      clientVersion: max(new.clientVersion, stored.clientVersion),
      serverVersion: max(new.serverVersion, stored.serverVersion))
    guard reached != stored || locksMore else { return nil }
    return News(
      entries: entries.filter { $0.clientVersion > stored.clientVersion }, progress: reached)
  }
}
