// SPDX-License-Identifier: Apache-2.0

// The checks of an IDENT message, in the order of P4 A.3.

import RealmSyncProtocol

/// Checks what a client says about its file against what the server knows of it.
package enum IdentCheck {
  /// - Parameters:
  ///   - file: The server's record; nil if it has none.
  ///   - latestSalt: The salt of the client's latest server version; nil if its entry is not there.
  ///   - isBound: Whether another session of the same connection has the file.
  package static func check(
    _ request: IdentRequest, file: ClientFile?, head: RealmHead, user: String,
    latestSalt: UInt64?, isBound: Bool = false
  ) throws(ServerRefusal) {
    guard let file, file.ident == request.file, request.file > .server else {
      throw ServerRefusal(.badClientFileIdent, "Unknown client file \(request.file.rawValue)")
    }
    guard file.salt == request.salt else {
      throw ServerRefusal(.divergingHistories, "Another salt of the client file")
    }
    guard !file.isExpired else {
      throw ServerRefusal(.clientFileExpired, "The client was offline for too long")
    }
    guard file.user == user else {
      throw ServerRefusal(.userMismatch, "The client file belongs to another user")
    }
    let (scan, latest) = (request.cursor.serverVersion, request.latestServerVersion)
    guard scan >= file.reciprocalBase, scan <= head.version else {
      throw ServerRefusal(.badServerVersion, "Bad server version \(scan) in the download cursor")
    }
    guard request.cursor.clientVersion <= file.clientVersion else {
      throw ServerRefusal(
        .badClientVersion,
        "Bad client version \(request.cursor.clientVersion) in the download cursor")
    }
    guard latest >= scan, latest <= head.version else {
      throw ServerRefusal(.badServerVersion, "Bad latest server version \(latest)")
    }
    guard latest == 0 || latestSalt == request.latestServerVersionSalt else {
      throw ServerRefusal(.divergingHistories, "Another salt of server version \(latest)")
    }
    guard !isBound else {
      throw ServerRefusal(.alreadyBound, "The client file is bound by another session")
    }
  }
}
