// SPDX-License-Identifier: Apache-2.0

// The position of a file in both histories.

/// The last server version at a client, and the last client version in it.
package struct DownloadCursor: Hashable, Sendable {
  package var serverVersion: UInt64
  package var clientVersion: UInt64

  package init(serverVersion: UInt64 = 0, clientVersion: UInt64 = 0) {
    self.serverVersion = serverVersion
    self.clientVersion = clientVersion
  }
}

/// The last client version at the server, and the last server version in it.
package struct UploadCursor: Hashable, Sendable {
  package var clientVersion: UInt64
  package var serverVersion: UInt64

  package init(clientVersion: UInt64 = 0, serverVersion: UInt64 = 0) {
    self.clientVersion = clientVersion
    self.serverVersion = serverVersion
  }
}

/// A version of the server's history with its random number; both are 0 before the first download.
package struct SaltedVersion: Hashable, Sendable {
  package var version: UInt64
  package var salt: UInt64

  package init(version: UInt64 = 0, salt: UInt64 = 0) {
    self.version = version
    self.salt = salt
  }
}

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
