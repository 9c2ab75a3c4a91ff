// SPDX-License-Identifier: Apache-2.0

// What opens sockets.

/// Opens the sockets of connections.
package protocol SyncSocketProvider: Sendable {
  /// Opens a socket: resolves the name, connects, secures the connection, and shakes hands. Ends
  /// early if its task is cancelled.
  func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any MessageSocket
}
