// SPDX-License-Identifier: Apache-2.0

// What happens to a session.

/// An input of a `SessionMachine`.
package enum SessionInput: Hashable, Sendable {
  case activate
  /// The connection is open, and the session has a number on it that no session had before. It is
  /// also the answer to `SessionEffect.needsSession`.
  case connectionReady(ProtocolVersion, session: UInt64)
  case connectionLost
  /// `jitter` is a random number, for the delay that may follow.
  case message(ServerMessage, byteCount: Int, jitter: UInt32)
  case stored(request: UInt64, StoreReply)
  /// The newest version of the file.
  case localVersion(UInt64)
  /// The subscription sets of the file, after the app changed them, and the version that they are
  /// of.
  case subscriptionSets([QuerySet], version: UInt64)
  case wait(SessionWait, id: UInt64)
  case cancelWait(id: UInt64)
  /// The delay of `suspended` is over.
  case retry
  /// The user has a new token.
  case tokenRefreshed
  case suspend
  case resume
  case terminate
}
