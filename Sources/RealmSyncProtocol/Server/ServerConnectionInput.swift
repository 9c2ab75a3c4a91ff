// SPDX-License-Identifier: Apache-2.0

// What happens to a connection of a server.

/// An input of a `ServerConnectionMachine`.
package enum ServerConnectionInput: Hashable, Sendable {
  case message([UInt8])
  /// The socket has taken bytes that were sent.
  case written(byteCount: Int)
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
