// SPDX-License-Identifier: Apache-2.0

// The record for checking an IDENT.

/// A server's answer to the question who a client is.
package struct ServerFileLookup: Hashable, Sendable {
  /// Nil if there is no such file.
  package var file: ServerFile?
  package var head: SaltedVersion
  /// The salt of the client's latest server version; nil if the history does not have it.
  package var latestSalt: UInt64?
  /// Whether another session of the same connection has the file.
  package var isBoundOnConnection: Bool

  package init(
    file: ServerFile?, head: SaltedVersion, latestSalt: UInt64?, isBoundOnConnection: Bool = false
  ) {
    self.file = file
    self.head = head
    self.latestSalt = latestSalt
    self.isBoundOnConnection = isBoundOnConnection
  }

  /// Checks an IDENT in the order of P4 A.3.
  package func check(_ ident: ClientMessage.Ident) throws(IdentDefect) -> ServerFile {
    guard let file, ident.file > .server, file.ident == ident.file else {
      throw .refusal(
        SessionRefusal(.badClientFileIdent, "Unknown client file \(ident.file.rawValue)"))
    }
    guard file.salt == ident.salt else {
      throw .refusal(SessionRefusal(.divergingHistories, "Another salt of the client file"))
    }
    guard !file.isExpired else {
      throw .refusal(SessionRefusal(.clientFileExpired, "The client was offline for too long"))
    }
    guard file.isOfUser else {
      throw .refusal(SessionRefusal(.userMismatch, "The client file belongs to another user"))
    }
    let (scan, latest) = (ident.download, ident.latest)
    guard scan.serverVersion >= file.reciprocalBase, scan.serverVersion <= head.version else {
      throw .refusal(
        SessionRefusal(.badServerVersion, "Bad server version \(scan.serverVersion)"))
    }
    guard scan.clientVersion <= file.clientVersion else {
      throw .refusal(
        SessionRefusal(.badClientVersion, "Bad client version \(scan.clientVersion)"))
    }
    guard latest.version >= scan.serverVersion, latest.version <= head.version else {
      throw .refusal(
        SessionRefusal(.badServerVersion, "Bad latest server version \(latest.version)"))
    }
    guard latest.version == 0 || latest.salt == latestSalt else {
      throw .refusal(
        SessionRefusal(
          .divergingHistories, "Another salt of server version \(latest.version)"))
    }
    guard !isBoundOnConnection else { throw .boundInOtherSession }
    return file
  }
}

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
