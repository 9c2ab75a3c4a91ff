// SPDX-License-Identifier: Apache-2.0

// A WebSocket as connections use it. Who networks for us implements it.

package import RealmSyncProtocol

/// An open WebSocket of a client, which carries binary messages.
///
/// Its functions do not block their thread. One task receives, and another one sends.
package protocol SyncSocket: Sendable {
  /// The protocol that the server chose in the handshake.
  var protocolName: String { get }

  /// The next message. The socket is not read beyond what a few calls need, so a caller that stops
  /// calling stops the server.
  func receive() async throws(SocketClosed) -> [UInt8]

  /// Sends a message. Returns when the system, or a buffer of limited size, has taken it.
  func send(_ message: [UInt8]) async throws(SocketClosed)

  /// Closes the socket; a call of `receive` that is under way throws.
  func close(_ code: CloseCode) async
}
