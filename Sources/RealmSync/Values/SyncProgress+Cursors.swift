// SPDX-License-Identifier: Apache-2.0

// The cursors of messages and of files.

package import RealmStorage
package import RealmSyncProtocol

extension SyncProgress {
  /// The cursors as messages have them.
  package var cursors: SyncCursors {
    SyncCursors(
      download: DownloadCursor(
        serverVersion: download.serverVersion, clientVersion: download.clientVersion),
      upload: UploadCursor(
        clientVersion: upload.clientVersion, serverVersion: upload.serverVersion),
      latest: SaltedVersion(
        version: latestServerVersion, salt: UInt64(clamping: latestServerVersionSalt)))
  }

  /// Takes the cursors of a message. A server version of 0 in the upload cursor was not said.
  mutating func take(_ new: SyncCursors) {
    latestServerVersion = new.latest.version
    latestServerVersionSalt = Int64(clamping: new.latest.salt)
    download = Cursor(
      serverVersion: new.download.serverVersion, clientVersion: new.download.clientVersion)
    upload.clientVersion = new.upload.clientVersion
    if new.upload.serverVersion > 0 { upload.serverVersion = new.upload.serverVersion }
  }
}

extension SyncCursors {
  /// Whether all numbers have room in a file.
  var isInRange: Bool {
    [
      download.serverVersion, download.clientVersion, upload.serverVersion, upload.clientVersion,
      latest.version, latest.salt,
    ].allSatisfy { $0 <= UInt64(Int64.max) }
  }
}
