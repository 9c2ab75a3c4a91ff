// SPDX-License-Identifier: Apache-2.0

// The times that a connection waits for.

/// A timer of a `ConnectionMachine`. There is at most one of each.
package enum ConnectionTimer: Hashable, Sendable {
  /// The connection has not been opened in time.
  case connect
  /// No session has needed the connection for so long that it is closed.
  case linger
  case ping
  /// The server has not answered a PING in time.
  case pong
  /// The delay before the next attempt is over.
  case retry
  /// The delay of a session's suspension is over.
  case session(UInt64)
}
