// SPDX-License-Identifier: Apache-2.0

// A WebSocket as connections use it, on both sides. Who networks for us implements it.

/// One end of an open WebSocket, which carries binary messages.
///
/// Its functions do not block their thread. One task receives, and another one sends.
package protocol MessageSocket: Sendable {
  /// The protocol that the handshake chose.
  var protocolName: String { get }

  /// The next message. The socket is not read beyond what a few calls need, so a caller that stops
  /// calling stops the peer.
  func receive() async throws(SocketClosed) -> [UInt8]

  /// Sends a message. Returns when the system, or a buffer of limited size, has taken it.
  func send(_ message: consuming [UInt8]) async throws(SocketClosed)

  /// Closes the socket after what was sent; a call of `receive` that is under way throws.
  func close(_ code: CloseCode, reason: String) async
}

extension MessageSocket {
  /// Closes the socket without a reason.
  package func close(_ code: CloseCode) async { await close(code, reason: "") }
}
