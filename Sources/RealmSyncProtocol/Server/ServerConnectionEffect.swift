// SPDX-License-Identifier: Apache-2.0

// What a connection of a server wants done.

/// An effect of a `ServerConnectionMachine`.
package enum ServerConnectionEffect: Hashable, Sendable {
  case send([UInt8])
  /// Close the socket when everything is sent. No other effect follows.
  case close(CloseCode, reason: String)
  /// Give the input `timer` at a time, which replaces an earlier one.
  case setTimer(at: Milliseconds)
  /// Take no message from the socket until `resumeReading`.
  case pauseReading
  case resumeReading
  /// A session begins, under a name that none has had.
  case began(session: UInt64)
  case store(session: UInt64, request: UInt64, ServerStoreRequest)
  /// The session is over: no request follows, and no answer is awaited.
  case ended(session: UInt64)
}
