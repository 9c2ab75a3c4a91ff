// SPDX-License-Identifier: Apache-2.0

// A server of WebSockets that a test writes, to try what a client does about it.

#if Server
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import RealmNetworking

/// Listens on the loopback address.
final class PlainSocketServer: Sendable {
  /// What the server does about a handshake.
  enum Answer: Sendable {
    case socket(@Sendable (WebSocket) async -> Void)
    case status(UInt)
    case silence
  }

  private let channel: any Channel

  init(_ answer: Answer) async throws {
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          switch answer {
          case .silence: break
          case .status(let status):
            try pipeline.configureHTTPServerPipeline()
            try pipeline.addHandler(StatusHandler(status))
          case .socket(let body):
            try pipeline.configureHTTPServerPipeline(
              withServerUpgrade: (upgraders: [Self.upgrader(body)], completionHandler: { _ in }))
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  private static func upgrader(
    _ body: @escaping @Sendable (WebSocket) async -> Void
  ) -> NIOWebSocketServerUpgrader {
    NIOWebSocketServerUpgrader(
      shouldUpgrade: { channel, _ in
        channel.eventLoop.makeSucceededFuture(["Sec-WebSocket-Protocol": "test"])
      },
      upgradePipelineHandler: { channel, _ in
        WebSocket.adopt(
          channel, isClient: false, protocolName: "test", messageByteCountMax: 1 << 20
        ).map { socket in
          _ = Task { await body(socket) }
        }
      })
  }

  var address: String { "ws://127.0.0.1:\(channel.localAddress?.port ?? 0)/socket" }

  func stop() async throws { try await channel.close() }
}

/// Answers a request with a status.
private final class StatusHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let status: UInt

  init(_ status: UInt) { self.status = status }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .end = unwrapInboundIn(data) else { return }
    let head = HTTPResponseHead(
      version: .http1_1, status: .init(statusCode: Int(status)),
      headers: ["Content-Length": "0", "Location": "http://127.0.0.1/"])
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
  }
}
#endif
