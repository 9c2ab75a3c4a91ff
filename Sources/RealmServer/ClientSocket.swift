// SPDX-License-Identifier: Apache-2.0

// The socket of a client, as its connection sees it.

#if Server
import NIOCore
import RealmNetworking
import RealmServerEngine
import RealmSync
import RealmSyncProtocol

/// The WebSocket of a client.
struct ClientSocket: ServerSocket {
  let socket: WebSocket
  let metrics: ServerMetrics

  func send(_ message: consuming [UInt8]) async {
    let sent = ServerMetrics.Sent(message)
    let buffer = ByteBuffer(bytes: message)
    // What happens to the socket is seen by the task that reads it.
    do throws(SocketClosed) {
      try await socket.send(buffer)
      metrics.didSend(sent)
    } catch {}
  }

  func close(_ code: CloseCode, reason: String) async { await socket.close(code, reason: reason) }
}
#endif
