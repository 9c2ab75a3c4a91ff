// SPDX-License-Identifier: Apache-2.0

// The reports of a connection.

package import RealmSyncProtocol

/// News of a connection.
package enum ConnectionEvent: Hashable, Sendable {
  case changed(ConnectionState)
  case failed(ConnectionFailure, isFatal: Bool)
  case log(ServerMessage.LogMessage)
}
