// SPDX-License-Identifier: Apache-2.0

// The server's record of a client's file.

/// The record of a client file, as far as a session needs it.
package struct ServerFile: Hashable, Sendable {
  package var ident: FileIdentifier
  package var salt: UInt64
  /// Whether it belongs to the user of the session.
  package var isOfUser: Bool
  package var isExpired: Bool
  /// The last integrated client version.
  package var clientVersion: UInt64
  /// The server version up to which reciprocals are trimmed.
  package var reciprocalBase: UInt64
  package var lockedServerVersion: UInt64

  package init(
    ident: FileIdentifier, salt: UInt64, isOfUser: Bool = true, isExpired: Bool = false,
    clientVersion: UInt64 = 0, reciprocalBase: UInt64 = 0, lockedServerVersion: UInt64 = 0
  ) {
    self.ident = ident
    self.salt = salt
    self.isOfUser = isOfUser
    self.isExpired = isExpired
    self.clientVersion = clientVersion
    self.reciprocalBase = reciprocalBase
    self.lockedServerVersion = lockedServerVersion
  }
}
