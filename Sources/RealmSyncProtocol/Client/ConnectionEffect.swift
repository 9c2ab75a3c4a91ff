// SPDX-License-Identifier: Apache-2.0

// What a connection of a client wants done.

/// An effect of a `ConnectionMachine`.
package enum ConnectionEffect: Hashable, Sendable {
  /// Open a socket, at the location and with the token that are the newest.
  case open
  case send([UInt8])
  /// Close the socket, or give up opening it. Nothing that it still brings is an input.
  case close(CloseCode)
  case setTimer(ConnectionTimer, at: Milliseconds)
  case cancelTimer(ConnectionTimer)
  case needsToken
  case needsLocation
  /// The server does not accept the user any more.
  case needsLogOut
  case pauseReading
  case resumeReading
  case changed(ConnectionState)
  case report(ConnectionFailure, isFatal: Bool)
  case log(ServerMessage.LogMessage)
  /// What a session wants done: `store`, `finish`, `report`, `needsReset`, and `suspended` for the
  /// app's information.
  case session(UInt64, SessionEffect)
}
