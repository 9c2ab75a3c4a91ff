// SPDX-License-Identifier: Apache-2.0

// The reports of a connection.

package import RealmSyncProtocol

/// News of a connection.
package enum ConnectionEvent: Hashable, Sendable {
  case changed(ConnectionState)
  case failed(ConnectionFailure, isFatal: Bool)
  /// The socket closed, or could not be opened; the connection goes on by itself if that helps.
  case interrupted(CloseCode, message: String)
  case log(ServerMessage.LogMessage)
}
