// SPDX-License-Identifier: Apache-2.0

// What happens to a connection of a client.

/// An input of a `ConnectionMachine`. A `jitter` is a random number, for the delay that may follow.
package enum ConnectionInput: Hashable, Sendable {
  /// A new session, under a name that none has.
  case add(session: UInt64, SessionSettings)
  /// The session is over and forgotten.
  case remove(session: UInt64)
  /// What happens to a session otherwise than by messages, the connection, and its delays.
  case session(UInt64, SessionInput)
  /// The socket is open. `protocolName` is that of the server's answer.
  case opened(protocolName: String, jitter: UInt32)
  /// The socket closed, or could not be opened.
  case closed(CloseCode, message: String, jitter: UInt32)
  case message([UInt8], jitter: UInt32)
  /// A timer's time has come.
  case timer(ConnectionTimer, jitter: UInt32)
  /// The answer to `ConnectionEffect.needsToken`, or any other news of the user's token.
  case tokenRefreshed
  /// There is no new token at present.
  case tokenUnavailable(jitter: UInt32)
  /// The answer to `ConnectionEffect.needsLocation`.
  case locationRefreshed
  case locationUnavailable(jitter: UInt32)
  /// The app, or a network that came back, asks for an attempt without delay.
  case reconnect
}
