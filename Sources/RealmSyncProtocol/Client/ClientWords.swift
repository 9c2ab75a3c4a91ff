// SPDX-License-Identifier: Apache-2.0

// The words of a `ClientMachine`: what happens to it, what it wants done, what it asks of files and
// what they answer, and what it reports.

/// An input of a `ClientMachine`: something that happened.
///
/// A `session` is the name of a session, which no other has had. A `socket` is the number that
/// `ClientEffect.open` gave it; what a socket that was given up still brings has no effect. A
/// `jitter` is a random number, for the delay that may follow.
package enum ClientInput: Hashable, Sendable {
  // The app
  case begin(session: UInt64, SessionSettings)
  /// The session is over: its waits fail, and `ClientEffect.ended` follows.
  case end(session: UInt64)
  /// The session rests until `resume`.
  case suspend(session: UInt64)
  /// The session goes on at once, whatever it rests for.
  case resume(session: UInt64)
  /// The session's file is about to be reset. The session rests, also if it was resumed after the
  /// error that asked for the reset.
  case willReset(session: UInt64)
  /// The session's file was reset: a session that rests for the error goes on.
  case didReset(session: UInt64)
  case wait(session: UInt64, SessionWait, id: UInt64)
  case cancelWait(session: UInt64, id: UInt64)
  /// The app, or a network that came back, asks for an attempt without delay.
  case reconnect

  // The file
  /// The newest version of the session's file.
  case version(session: UInt64, UInt64)
  case stored(session: UInt64, request: UInt64, StoreReply)

  // The socket
  /// The socket is open. `protocolName` is that of the server's answer.
  case opened(socket: UInt64, protocolName: String, jitter: UInt32)
  /// The socket closed, or could not be opened.
  case closed(socket: UInt64, CloseCode, message: String, jitter: UInt32)
  case message(socket: UInt64, [UInt8], jitter: UInt32)
  /// The socket has taken a message.
  case sent(socket: UInt64, byteCount: Int)

  // Time and the user
  /// A timer's time has come.
  case timer(ClientTimer, jitter: UInt32)
  /// The answer to `ClientEffect.needsToken`, or any other news of the user's token.
  case tokenRefreshed
  /// There is no new token at present.
  case tokenUnavailable(jitter: UInt32)
  /// The answer to `ClientEffect.needsLocation`.
  case locationRefreshed
  case locationUnavailable(jitter: UInt32)
}

/// An effect of a `ClientMachine`: something to be done.
///
/// Effects are carried out in their order. What must be on the disk comes by `store`, and what is
/// said of it by a `send` that names it (`StoredState`) and comes after the answer; a `send`
/// without that may be sent before the disk has anything.
package enum ClientEffect: Hashable, Sendable {
  /// Open a socket, at the location and with the token that are the newest.
  case open(socket: UInt64)
  case send([UInt8], after: StoredState?)
  /// Close the socket, or give up opening it.
  case close(CloseCode)
  /// Take no message from the socket until `resumeReading`, or until another one is opened.
  case pauseReading
  case resumeReading
  /// Give the input `timer` at a time, which replaces an earlier one.
  case setTimer(ClientTimer, at: Milliseconds)
  case cancelTimer(ClientTimer)
  case needsToken
  case needsLocation
  /// The server does not accept the user any more.
  case needsLogOut
  /// Carry a request out; a session has one at a time.
  case store(session: UInt64, request: UInt64, StoreRequest)
  /// The end of a wait; an id is finished once.
  case finish(wait: UInt64, SessionFailure?)
  /// Nothing more of the session follows, and no request is under way.
  case ended(session: UInt64)
  case report(ClientEvent)
  case sessionReport(session: UInt64, SyncSessionEvent)
}

/// What a message says of a file. The message may be sent only when the disk has it.
package struct StoredState: Hashable, Sendable {
  package var session: UInt64
  /// The identifier that the server gave.
  package var file: FileIdentifier
  /// The newest version that the message speaks of.
  package var version: UInt64 = 0
  /// The newest server version that the message says to be integrated.
  package var serverVersion: UInt64 = 0
}

/// A timer of a `ClientMachine`. There is at most one of each.
package enum ClientTimer: Hashable, Sendable {
  /// The connection has not been opened in time.
  case connect
  /// No session has needed the connection for so long that it is closed.
  case linger
  case ping
  /// The server has not answered a PING in time.
  case pong
  /// The delay before the next attempt is over.
  case retry
  /// The delay of a session's rest is over.
  case session(UInt64)
}

// MARK: Files

/// A request to the file of a session.
package enum StoreRequest: Hashable, Sendable {
  /// Prepare for a session: integrate a bootstrap that is complete, drop an unfinished one.
  case begin
  /// Read the newest state.
  case read
  case adoptIdent(FileIdentifier, salt: UInt64)
  /// Find what is to be uploaded after a version, up to the snapshot of the next subscription set,
  /// or to the newest version. The next set is the first one that is pending after `pastQuery`.
  case scanUploads(after: UInt64, pastQuery: UInt64)
  /// Integrate a DOWNLOAD of the steady state.
  case integrate(ReceivedDownload)
  /// Integrate a bootstrap, all of which is in one message; its subscription set becomes
  /// awaitingMark, and older sets go.
  case integrateBootstrap(ReceivedDownload, queryVersion: UInt64)
  /// Keep a part of a bootstrap, whose subscription set becomes bootstrapping.
  case keepBootstrapPart(ReceivedDownload, queryVersion: UInt64, isLast: Bool)
  /// Integrate the bootstrap of the kept parts, as if it were in one message.
  case processBootstrap(queryVersion: UInt64)
  /// The set has all of its objects.
  case markComplete(queryVersion: UInt64)
  /// The server does not accept the set.
  case rejectQuery(version: UInt64, message: String)
}

/// The answer to a `StoreRequest`.
package enum StoreReply: Hashable, Sendable {
  /// The request is carried out, and this is the file's state then.
  case done(SessionFile)
  /// The answer to `scanUploads`, with the file's state in the version that was scanned.
  case uploads(UploadBatch, SessionFile)
  case failed(StoreFailure)
}

/// The state of a synchronised file.
package struct SessionFile: Hashable, Sendable {
  /// The newest version.
  package var version: UInt64
  /// `FileIdentifier.own` if the server has not given one yet.
  package var ident: FileIdentifier
  package var salt: UInt64
  package var cursors: SyncCursors
  /// The subscription sets, oldest first; empty in partition mode.
  package var sets: [QuerySet]

  package init(
    version: UInt64 = 0, ident: FileIdentifier = .own, salt: UInt64 = 0,
    cursors: SyncCursors = SyncCursors(), sets: [QuerySet] = []
  ) {
    self.version = version
    self.ident = ident
    self.salt = salt
    self.cursors = cursors
    self.sets = sets
  }
}

/// A subscription set that the file stores.
package struct QuerySet: Hashable, Sendable {
  /// How far the file is with a set.
  package enum State: Hashable, Sendable {
    case pending, bootstrapping, awaitingMark, complete, error
  }

  package var version: UInt64
  package var state: State
  /// The client version up to which changes must be sent before the set is.
  package var snapshotVersion: UInt64
  /// The text of its `QueryDocument`.
  package var text: String

  package init(version: UInt64, state: State, snapshotVersion: UInt64, text: String) {
    self.version = version
    self.state = state
    self.snapshotVersion = snapshotVersion
    self.text = text
  }

  /// Whether the server does not know of it, or has not brought all of its objects.
  var isPending: Bool { state == .pending || state == .bootstrapping }
  var isActive: Bool { state == .awaitingMark || state == .complete }
}

/// A DOWNLOAD whose header a session has accepted, with what its entries are checked against.
///
/// Decompressing and reading the entries is left to the file that integrates them.
package struct ReceivedDownload: Hashable, Sendable {
  package var download: ServerMessage.Download
  /// The file that the entries must not be from.
  package var receiver: FileIdentifier
  /// The server version that the file has already.
  package var previousVersion: UInt64
  /// The errors of the writes that it undoes: the server forgets them with the cursor.
  package var reports: [ErrorDocument]

  package init(
    download: ServerMessage.Download, receiver: FileIdentifier, previousVersion: UInt64,
    reports: [ErrorDocument] = []
  ) {
    self.download = download
    self.receiver = receiver
    self.previousVersion = previousVersion
    self.reports = reports
  }
}

/// Changesets for one UPLOAD, as a scan of a file's history found them.
package struct UploadBatch: Hashable, Sendable {
  /// The changesets, compressed where the file has them compressed.
  package let body: MessageBody
  /// The version of the last changeset; nil if there is none.
  package let lastVersion: UInt64?
  /// How far the scan came, entries that need no upload included.
  package let progress: UploadCursor
  package let lockedServerVersion: UInt64
  /// Whether the scan reached its limit.
  package let isComplete: Bool
  /// Why the changeset after these cannot be uploaded; nil if it can, or there is none.
  package let excess: String?

  package init(
    _ body: MessageBody = .empty, lastVersion: UInt64? = nil, progress: UploadCursor,
    lockedServerVersion: UInt64 = 0, isComplete: Bool = true, excess: String? = nil
  ) {
    self.excess = excess
    self.body = body
    self.lastVersion = lastVersion
    self.progress = progress
    self.lockedServerVersion = lockedServerVersion
    self.isComplete = isComplete
  }
}

/// The failure of a request to a file.
package struct StoreFailure: Error, Hashable, Sendable {
  /// The code that is reported to the server; nil if it is not the server's fault.
  package var code: ErrorCode?
  package var message: String

  package init(code: ErrorCode?, message: String) {
    self.code = code
    self.message = message
  }

  /// The failure of cursors that cannot be right.
  package static func badProgress(_ message: String) -> StoreFailure {
    StoreFailure(code: ErrorCode(SessionErrorCode.badProgress), message: message)
  }
}

// MARK: The app

/// A wait for the completion of a direction.
package enum SessionWait: Hashable, Sendable {
  /// Everything that was written when the wait began is on the server.
  case upload
  /// Everything that the server had when the wait began is in the file.
  case download
}

/// The failure of a wait.
package enum SessionFailure: Error, Hashable, Sendable {
  case canceled
  case terminated
  case error(ErrorCode, ErrorDocument)
  case storage(StoreFailure)
}

/// Why a session does not synchronise, and what lets it go on.
package enum SessionRest: Hashable, Sendable {
  /// The app suspended it, and resumes it.
  case app
  /// An error that only the app can do something about.
  case error
  /// The user's next token.
  case token
  /// The server's next location.
  case location
  /// The end of a delay.
  case delay(until: Milliseconds)
}

/// The state of a connection as apps see it.
package enum ConnectionState: Hashable, Sendable {
  case disconnected, connecting, connected
}

/// News of a connection.
package enum ClientEvent: Hashable, Sendable {
  case changed(ConnectionState)
  case failed(ConnectionFailure, isFatal: Bool)
  /// The socket closed, or could not be opened; the connection goes on by itself if that helps.
  case interrupted(CloseCode, message: String)
  case log(ServerMessage.LogMessage)
}

/// A failure of a connection that is reported to the app.
package enum ConnectionFailure: Error, Hashable, Sendable {
  /// The socket closed with a code.
  case closed(CloseCode, message: String)
  /// The server ended it with an error.
  case error(ErrorCode, ErrorDocument)
  /// The server broke the protocol.
  case violation(ConnectionErrorCode, message: String)
  case connectTimeout
  /// A PING was not answered.
  case pongTimeout
}

/// News of a session.
package enum SyncSessionEvent: Hashable, Sendable {
  /// An error with an action that is the app's or the user's business.
  case error(ErrorCode, ErrorDocument)
  /// The server cannot go on now; the session tries again by itself.
  case delayed(ErrorCode, ErrorDocument)
  /// The server asks for a reset of the file.
  case needsReset(mayRecover: Bool, code: ErrorCode, document: ErrorDocument)
  /// The server undid writes, and the file has the changes that undo them.
  case compensatingWrite(CompensatingWriteReport, ErrorDocument)
  /// The file could not be written or read.
  case storageFailure(StoreFailure)
  /// The server does not accept a subscription set.
  case queryRejected(version: UInt64, message: String)
  /// How far a DOWNLOAD has brought the file.
  case downloadProgress(SyncCursors, ServerMessage.Progress)
  case log(ServerMessage.LogMessage)
}
