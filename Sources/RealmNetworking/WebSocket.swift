// SPDX-License-Identifier: Apache-2.0

// A WebSocket for asynchronous code.

#if Sync
package import NIOCore
import NIOWebSocket
package import RealmSyncProtocol

/// An open WebSocket, of a client or of a server, which carries binary messages.
///
/// One task receives, and others send. A socket that no task receives from is not read, so its peer
/// has to wait.
package final class WebSocket: MessageSocket {
  package let protocolName: String
  package let channel: any Channel
  private let handler: NIOLoopBound<WebSocketHandler>

  private init(
    _ channel: any Channel, _ handler: NIOLoopBound<WebSocketHandler>, protocolName: String
  ) {
    self.channel = channel
    self.handler = handler
    self.protocolName = protocolName
  }

  /// Takes over a channel whose pipeline has WebSocket frames. Called on its event loop.
  ///
  /// - Parameters:
  ///   - messageByteCountMax: The largest message that is received.
  ///   - memory: Keeps account of what the socket holds; nil where there is no such account.
  package static func adopt(
    _ channel: any Channel, isClient: Bool, protocolName: String, messageByteCountMax: Int,
    memory: (any SocketMemory)? = nil
  ) -> EventLoopFuture<WebSocket> {
    let handler = WebSocketHandler(
      isClient: isClient, messageByteCountMax: messageByteCountMax, memory: memory)
    let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
    return channel.setOption(.autoRead, value: false).flatMapThrowing {
      let pipeline = channel.pipeline.syncOperations
      if memory != nil {
        let decoder = try pipeline.handler(
          type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
        try pipeline.addHandler(ReceiveMeter(bound.value), position: .before(decoder))
      }
      // Before NIO's handler of protocol errors, which ends the channel.
      try pipeline.addHandler(bound.value)
      return WebSocket(channel, bound, protocolName: protocolName)
    }
  }

  package func receive() async throws(SocketClosed) -> [UInt8] {
    let message = try await Self.awaiting { [handler, channel] in
      channel.eventLoop.flatSubmit { handler.value.next(on: handler.eventLoop) }
    }
    return Array(buffer: message)
  }

  package func send(_ message: consuming [UInt8]) async throws(SocketClosed) {
    try await send(ByteBuffer(bytes: message))
  }

  package func send(_ message: ByteBuffer) async throws(SocketClosed) {
    try await Self.awaiting { [handler, channel] in
      channel.eventLoop.flatSubmit { handler.value.send(message, on: handler.eventLoop) }
    }
  }

  /// Closes the socket with a reason, after what was sent.
  package func close(_ code: CloseCode, reason: String) async {
    _ = try? await channel.eventLoop.submit { [handler] in
      handler.value.close(code, reason: reason)
    }.get()
  }

  private static func awaiting<R: Sendable>(
    _ future: () -> EventLoopFuture<R>
  ) async throws(SocketClosed) -> R {
    do {
      return try await future().get()
    } catch let error as SocketClosed {
      throw error
    } catch {
      throw SocketClosed(.writeFailed, "\(error)")
    }
  }
}
#endif
