// SPDX-License-Identifier: Apache-2.0

// The network's end of a connection, and where it leads.

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

/// Why a socket closed, or could not be opened.
package struct SocketClosed: Error, Hashable, Sendable {
  package var code: CloseCode
  package var message: String

  package init(_ code: CloseCode, _ message: String = "") {
    self.code = code
    self.message = message
  }
}

/// Opens the sockets of connections.
package protocol SyncSocketProvider: Sendable {
  /// Opens a socket: resolves the name, connects, secures the connection, and shakes hands. Ends
  /// early if its task is cancelled.
  func open(_ endpoint: SyncEndpoint) async throws(SocketClosed) -> any MessageSocket
}

/// The address and the headers of a socket.
package struct SyncEndpoint: Hashable, Sendable {
  /// The address, with scheme `ws` or `wss`, and the token in its query.
  package var url: String
  /// The offered protocols, the preferred one first.
  package var protocolNames: [String]
  package var headers: [HTTPHeader]

  package init(url: String, protocolNames: [String], headers: [HTTPHeader] = []) {
    self.url = url
    self.protocolNames = protocolNames
    self.headers = headers
  }
}
