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
