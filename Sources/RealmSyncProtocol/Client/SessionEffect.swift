// SPDX-License-Identifier: Apache-2.0

// What a session wants done.

/// An effect of a `SessionMachine`.
package enum SessionEffect: Hashable, Sendable {
  case send(ClientMessage)
  case store(request: UInt64, StoreRequest)
  /// The session's number is used up; what still arrives for it is ignored. With a time, the
  /// session wants `SessionInput.retry` then; without, it waits for something else.
  case suspended(until: Milliseconds?)
  /// The session wants another number on the open connection.
  case needsSession
  case needsToken
  case needsLocation
  case needsReset(mayRecover: Bool, code: ErrorCode, document: ErrorDocument)
  /// The end of a wait; an id is finished once.
  case finish(id: UInt64, SessionFailure?)
  case report(SessionEvent)
  /// The server broke the protocol so that the connection is of no more use.
  case dropConnection(ConnectionErrorCode, message: String)
  /// Messages are waiting that are too many: do not read the socket.
  case pauseReading
  case resumeReading
}
