// SPDX-License-Identifier: Apache-2.0

// How far a synchronised file and its server have exchanged their histories.

/// The cursors and counters of a synchronised file (slots 3 to 12 of its history).
package struct SyncProgress: Hashable, Sendable {
  /// A pair of versions up to which one direction is done.
  package struct Cursor: Hashable, Sendable {
    package var serverVersion: UInt64
    package var clientVersion: UInt64

    package init(serverVersion: UInt64 = 0, clientVersion: UInt64 = 0) {
      self.serverVersion = serverVersion
      self.clientVersion = clientVersion
    }
  }

  /// The newest server version that the server has announced, and its salt.
  package var latestServerVersion: UInt64 = 0
  package var latestServerVersionSalt: Int64 = 0
  /// The server version that was integrated last, and the client version that the server had
  /// integrated when it made that.
  package var download = Cursor()
  /// The client version that the server has integrated, and the server version that the file had
  /// integrated when it made that.
  package var upload = Cursor()
  /// Uncompressed sizes of changesets; the downloadable one is the estimate of progress times
  /// 10,000 where subscriptions decide what is downloaded.
  package var downloadedByteCount = 0
  package var downloadableByteCount = 0
  package var uploadedByteCount = 0
  package var uploadableByteCount = 0

  /// The progress of a file that no server knows.
  package init() {}
}
