// SPDX-License-Identifier: Apache-2.0

// The server's knowledge of one file of a client.

package import RealmSyncProtocol

/// A client's file: its identity, its cursors, and its subscriptions.
package struct ClientFile: Hashable, Sendable {
  package var ident: FileIdentifier
  /// A random number, to distinguish this file from others of the same identifier: 63 bits, never
  /// 0.
  package var salt: UInt64
  /// The first user of the file; no other user may bind it.
  package var user: String
  /// The newest integrated version of the client's history.
  package var clientVersion: UInt64 = 0
  /// The newest acknowledged server version. Reciprocals up to it are gone.
  package var reciprocalBase: UInt64 = 0
  /// The server version to keep for the client.
  package var lockedServerVersion: UInt64 = 0
  /// The server's time of the last sign of life; 0 once the file is expired.
  package var lastSeen: OriginTimestamp
  /// The last version of the state in place of trimmed versions; 0 if the client needed none. A
  /// client below has a part of it at most.
  package var firstDownloadVersion: UInt64 = 0
  /// The version of the state. Uploads with an older base are merged with the entries after it, as
  /// all that they have in common with it is dropped.
  package var firstDownloadBase: UInt64 = 0
  /// The last bootstrapped query version; nil in partition mode and before the first.
  package var queryVersion: Int64?
  /// The subscriptions of the version as the client sent them.
  package var query: String = ""
  /// A hash of the queries with the user's permissions.
  package var fingerprint: UInt64 = 0

  package init(
    ident: FileIdentifier, salt: UInt64, user: String, lastSeen: OriginTimestamp
  ) {
    self.ident = ident
    self.salt = salt
    self.user = user
    self.lastSeen = lastSeen
  }

  package var isExpired: Bool { lastSeen.milliseconds == 0 }

  /// The part for a session of a user.
  package func record(for user: String) -> ServerFile {
    ServerFile(
      ident: ident, salt: salt, isOfUser: user == self.user, isExpired: isExpired,
      clientVersion: clientVersion, reciprocalBase: reciprocalBase,
      lockedServerVersion: lockedServerVersion)
  }
}
