// SPDX-License-Identifier: Apache-2.0

// The server's knowledge of one file of a client.

package import RealmSyncProtocol

/// A client's file: its identity, its cursors, and what it subscribed to.
package struct ClientFile: Hashable, Sendable {
  package var ident: FileIdentifier
  /// A random number that distinguishes this file from others of the same identifier: 63 bits,
  /// never 0.
  package var salt: UInt64
  /// The user who bound the file first; no other user may.
  package var user: String
  /// The newest version of the client's history that is integrated.
  package var clientVersion: UInt64 = 0
  /// The newest server version that the client has said it integrated. Reciprocals up to it are
  /// gone.
  package var reciprocalBase: UInt64 = 0
  /// The server version that the client wants kept.
  package var lockedServerVersion: UInt64 = 0
  /// The server's time of the last sign of life; 0 once the file is expired.
  package var lastSeen: OriginTimestamp
  /// The server's time of its expiry; 0 before, and where an older server has noted none.
  package var expired = OriginTimestamp(milliseconds: 0)
  /// The version with which the state ends that the client is sent in place of trimmed versions; 0
  /// if it needed none. A client below has a part of it at most.
  package var firstDownloadVersion: UInt64 = 0
  /// The version of that state. Uploads with an older base are merged with what comes after it, as
  /// all that they have in common with it is dropped.
  package var firstDownloadBase: UInt64 = 0
  /// The query version that was bootstrapped last; nil in partition mode and before the first.
  package var queryVersion: Int64?
  /// The subscriptions of that version as the client sent them.
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

  /// The part that a session of a user needs.
  package func record(for user: String) -> ServerFile {
    ServerFile(
      ident: ident, salt: salt, isOfUser: user == self.user, isExpired: isExpired,
      clientVersion: clientVersion, reciprocalBase: reciprocalBase,
      lockedServerVersion: lockedServerVersion)
  }
}
