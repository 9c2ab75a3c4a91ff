// SPDX-License-Identifier: Apache-2.0

// What a server's session wants done.

/// An effect of a `ServerSessionMachine`.
package enum ServerSessionEffect: Hashable, Sendable {
  case send(ServerMessage)
  case store(request: UInt64, ServerStoreRequest)
  /// The client broke the protocol: send the error for the connection, and close it.
  case failConnection(ConnectionErrorCode, message: String)
  /// Messages are waiting that are too many: do not read the socket.
  case pauseReading
  case resumeReading
  /// The session is over, and its number may be used again.
  case ended
}
