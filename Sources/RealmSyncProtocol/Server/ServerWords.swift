// SPDX-License-Identifier: Apache-2.0

// The words of a server's machines: what happens to a connection and its sessions, what they want
// done, and what sessions ask of their realm.

// MARK: Connections

/// An input of a `ServerConnectionMachine`.
package enum ServerConnectionInput: Hashable, Sendable {
  case message([UInt8])
  /// The socket has taken bytes that were sent.
  case written(byteCount: Int)
  /// Whether little is left of the memory that clients may take together.
  case memory(isTight: Bool)
  /// The socket closed, or broke.
  case closed
  /// The time of `ServerConnectionEffect.setTimer` has come.
  case timer
  /// What happens to a session otherwise than by messages and the socket. A session that has ended
  /// ignores it.
  case session(UInt64, ServerSessionInput)
  /// The server ends the connection with an error: a file is bound elsewhere, or it shuts down.
  case fail(ConnectionErrorCode, message: String)
  /// The server ends the connection with a close code: the user may not connect any more.
  case close(CloseCode, reason: String)
}

/// An effect of a `ServerConnectionMachine`.
package enum ServerConnectionEffect: Hashable, Sendable {
  case send([UInt8], after: StoredProgress?)
  /// Close the socket when everything is sent. No other effect follows.
  case close(CloseCode, reason: String)
  /// Give the input `timer` at a time, which replaces an earlier one.
  case setTimer(at: Milliseconds)
  /// A session begins, under a name that none has had.
  case began(session: UInt64)
  case store(session: UInt64, request: UInt64, ServerStoreRequest)
  /// A session needs room for what an UPLOAD unpacks to. The input `hasRoom` is the answer.
  case takeRoom(session: UInt64, byteCount: Int)
  /// The session needs its room no more, or waits for none.
  case giveRoomBack(session: UInt64)
  /// The session is over: no request follows, and no answer is awaited. Its room is given back
  /// once the request that is under way is carried out.
  case ended(session: UInt64)
  /// Tell the operator.
  case notice(String)
}

// MARK: Sessions

/// An input of a `ServerSessionMachine`.
package enum ServerSessionInput: Hashable, Sendable {
  case message(ClientMessage, byteCount: Int)
  case stored(request: UInt64, ServerStoreReply)
  /// The realm has a new version.
  case head(SaltedVersion)
  /// There is the room that was asked for.
  case hasRoom
  /// The socket has taken too little of what was sent.
  case outputBlocked
  case outputDrained
  /// The server ends the session: its token expired, its file is bound elsewhere, it shuts down.
  case refuse(SessionRefusal)
}

/// An effect of a `ServerSessionMachine`.
package enum ServerSessionEffect: Hashable, Sendable {
  case send(ServerMessage, after: StoredProgress?)
  case store(request: UInt64, ServerStoreRequest)
  /// Find room for what an UPLOAD unpacks to.
  case takeRoom(byteCount: Int)
  /// The room is needed no more, also if it was not found yet.
  case giveRoomBack
  /// The client broke the protocol: send the error for the connection, and close it.
  case failConnection(ConnectionErrorCode, message: String)
  /// Close the connection: the reaction of clients to the code is the right one.
  case closeConnection(CloseCode, reason: String)
  /// Tell the operator.
  case notice(String)
  /// The session is over, and its number may be used again.
  case ended
}

/// What a message says of a client's file. The message may be sent only when the realm's disk has
/// it.
package struct StoredProgress: Hashable, Sendable {
  package var file: FileIdentifier
  /// The last client version that the message says to be integrated.
  package var clientVersion: UInt64
  /// The newest version of the realm that the message speaks of.
  package var version: UInt64

  package init(file: FileIdentifier, clientVersion: UInt64 = 0, version: UInt64 = 0) {
    self.file = file
    self.clientVersion = clientVersion
    self.version = version
  }
}

/// An error that ends a session, as the client gets it.
package struct SessionRefusal: Error, Hashable, Sendable {
  package var code: SessionErrorCode
  package var document: ErrorDocument

  /// A refusal with the code's usual action, or another.
  package init(_ code: SessionErrorCode, _ message: String, action: ErrorAction? = nil) {
    self.code = code
    document = ErrorDocument(message: message, action: action ?? code.usualAction)
  }
}

// MARK: Realms

/// A request of a session to its realm. One is under way at a time.
package enum ServerStoreRequest: Hashable, Sendable {
  /// Check who it is and what for, and make a client file if one is needed.
  case bind(ClientMessage.Bind)
  /// Find what an IDENT is checked against.
  case lookUp(ClientMessage.Ident)
  /// The session has the file from now on: an older session of another connection that has it
  /// loses it, and the active query becomes the IDENT's.
  case claim(ClientMessage.Ident)
  /// Make the next DOWNLOAD after a cursor. While a bootstrap is due, these are changes up to the
  /// version of the bootstrap (batch state steady), and then the bootstrap, which ends with a
  /// message whose batch state is last.
  case nextDownload(after: DownloadCursor)
  /// Integrate changesets, which are not duplicates, and store the progress durably.
  case integrate(UploadCursor, lockedServerVersion: UInt64, entries: [UploadEntry])
  /// Find the newest version, for a MARK.
  case currentHead
  /// Make another query the active one. A bootstrap of it is due then, in place of one that is not
  /// begun.
  case setQuery(VersionedQuery)
}

extension ServerStoreRequest {
  /// The message that asks for it; nil if the server asks by itself.
  var messageName: String? {
    switch self {
    case .bind: "BIND"
    case .lookUp, .claim: "IDENT"
    case .integrate: "UPLOAD"
    case .setQuery: "QUERY"
    case .nextDownload, .currentHead: nil
    }
  }
}

/// The answer to a `ServerStoreRequest`.
package enum ServerStoreReply: Hashable, Sendable {
  /// The answer to `bind`: the identity of the file that was made, if one was needed.
  case bound(ident: FileIdentifier, salt: UInt64)
  /// The request is carried out.
  case done
  case file(ServerFileLookup)
  /// The answer to `claim`: the record of the file, which an older session may have changed since
  /// `lookUp`, the reports of compensating writes that the client has not got yet, and whether a
  /// bootstrap of the active query is due, as the rights of the user have changed.
  case claimed(
    ServerFile, rejected: [CompensatingWriteReport], isViewChanged: Bool = false)
  case head(SaltedVersion)
  case download(ServerMessage.Download)
  /// An upload is on the disk. The reports are of writes that were refused, in rising order of
  /// their server versions.
  case integrated(head: SaltedVersion, rejected: [CompensatingWriteReport])
  /// A query is not accepted; the session goes on with the old one.
  case queryRefused(message: String)
  case refused(SessionRefusal)
}

/// The first check of an IDENT that failed.
package enum IdentDefect: Error, Hashable, Sendable {
  case refusal(SessionRefusal)
  /// Another session of the connection has the file, which is an error of the connection.
  case boundInOtherSession
}
