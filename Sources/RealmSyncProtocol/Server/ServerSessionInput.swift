// SPDX-License-Identifier: Apache-2.0

// What happens to a server's session.

/// An input of a `ServerSessionMachine`.
package enum ServerSessionInput: Hashable, Sendable {
  case message(ClientMessage, byteCount: Int)
  case stored(request: UInt64, ServerStoreReply)
  /// The realm has a new version.
  case head(SaltedVersion)
  /// A role change has altered the view, and a bootstrap of the active query is due.
  case viewChanged
  /// The socket has taken too little of what was sent.
  case outputBlocked
  case outputDrained
  /// The server ends the session: its token expired, its file is bound elsewhere, it shuts down.
  case refuse(SessionRefusal)
}
