// SPDX-License-Identifier: Apache-2.0

// The position of a file in both histories.

/// The cursors of a client's file, as in every DOWNLOAD.
package struct SyncCursors: Hashable, Sendable {
  package var download: DownloadCursor
  package var upload: UploadCursor
  /// The newest server version when the message was made.
  package var latest: SaltedVersion

  package init(
    download: DownloadCursor = DownloadCursor(), upload: UploadCursor = UploadCursor(),
    latest: SaltedVersion = SaltedVersion()
  ) {
    self.download = download
    self.upload = upload
    self.latest = latest
  }

  /// Whether a version of these is below the earlier one. Salts are not compared, nor is the server
  /// version of the upload cursor when it is 0.
  package func goesBack(from earlier: SyncCursors) -> Bool {
    latest.version < earlier.latest.version
      || download.serverVersion < earlier.download.serverVersion
      || download.clientVersion < earlier.download.clientVersion
      || upload.clientVersion < earlier.upload.clientVersion
      || upload.serverVersion > 0 && upload.serverVersion < earlier.upload.serverVersion
  }
}
