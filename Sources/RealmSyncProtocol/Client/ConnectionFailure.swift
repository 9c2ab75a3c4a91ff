// SPDX-License-Identifier: Apache-2.0

// Why a connection ended, or was not made.

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
