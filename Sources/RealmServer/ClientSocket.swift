// SPDX-License-Identifier: Apache-2.0

// The socket of a client, as its connection sees it.

#if Server
import NIOCore
import RealmNetworking
import RealmSyncProtocol

/// The WebSocket of a client, whose messages are counted.
struct ClientSocket: MessageSocket {
  let socket: WebSocket
  let metrics: ServerMetrics

  var protocolName: String { socket.protocolName }

  func receive() async throws(SocketClosed) -> [UInt8] {
    let message = try await socket.receive()
    metrics.didReceive(message)
    return message
  }

  func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    let sent = ServerMetrics.Sent(message)
    let buffer = ByteBuffer(bytes: message)
    try await socket.send(buffer)
    metrics.didSend(sent)
  }

  func close(_ code: CloseCode, reason: String) async { await socket.close(code, reason: reason) }
}
#endif
