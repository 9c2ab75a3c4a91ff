// SPDX-License-Identifier: Apache-2.0

// What an IDENT message says about the client's file.

package import RealmSyncProtocol

/// A client's claim of who it is and how far it has come.
package struct IdentRequest: Hashable, Sendable {
  package var file: FileIdentifier
  package var salt: UInt64
  package var cursor: DownloadCursor
  /// The newest server version that the client ever heard of, and its salt.
  package var latestServerVersion: UInt64
  package var latestServerVersionSalt: UInt64

  package init(
    file: FileIdentifier, salt: UInt64, cursor: DownloadCursor, latestServerVersion: UInt64,
    latestServerVersionSalt: UInt64
  ) {
    self.file = file
    self.salt = salt
    self.cursor = cursor
    self.latestServerVersion = latestServerVersion
    self.latestServerVersionSalt = latestServerVersionSalt
  }
}
