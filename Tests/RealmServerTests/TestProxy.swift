// SPDX-License-Identifier: Apache-2.0

// A proxy of HTTP on the loopback address.

#if Server
import NIOCore
import NIOPosix
import RealmStorage

/// Makes tunnels, and keeps what clients send in the open.
final class TestProxy: Sendable {
  private let channel: any Channel
  private let received: Locked<String>
  private let targets: Locked<[String]>

  /// - Parameter authorization: The value of `Proxy-Authorization` that is asked for; nil if none.
  init(authorization: String? = nil) async throws {
    let received = Locked("")
    self.received = received
    let targets = Locked<[String]>([])
    self.targets = targets
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ProxyHandler(authorization, received, targets))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  /// The servers to which there were tunnels.
  var tunnels: [Substring] { targets.withLock { $0.map { $0[...] } } }

  var port: Int { channel.localAddress?.port ?? 0 }

  /// The lines that clients have sent, of which those in TLS are no text.
  var lines: [String] {
    received.withLock { $0 }.split(separator: "\r\n").map(String.init)
  }

  func stop() async throws { try await channel.close() }
}

/// Reads the head of a request, and connects to the server that it names.
private final class ProxyHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let authorization: String?
  private let received: Locked<String>
  private let targets: Locked<[String]>
  private var waiting = ByteBuffer()
  private var isConnecting = false
  private var server: (any Channel)?

  init(_ authorization: String?, _ received: Locked<String>, _ targets: Locked<[String]>) {
    self.authorization = authorization
    self.received = received
    self.targets = targets
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var data = unwrapInboundIn(data)
    let text = String(decoding: data.readableBytesView, as: UTF8.self)
    received.withLock { $0 += text }
    if let server {
      server.writeAndFlush(data, promise: nil)
      return
    }
    waiting.writeBuffer(&data)
    let head = String(decoding: waiting.readableBytesView, as: UTF8.self)
    guard head.contains("\r\n\r\n"), !isConnecting else { return }
    if let authorization, !head.contains("\r\nProxy-Authorization: \(authorization)\r\n"),
      !head.contains("\r\nproxy-authorization: \(authorization)\r\n")
    {
      let answer = "HTTP/1.1 407 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
      context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
      return context.close(promise: nil)
    }
    guard head.hasPrefix("CONNECT ") else { return context.close(promise: nil) }
    isConnecting = true
    let target = String(head.split(separator: " ")[1])
    targets.withLock { $0.append(target) }
    connect(context, to: target)
  }

  private func connect(_ context: ChannelHandlerContext, to target: String) {
    let parts = target.split(separator: ":")
    let client = context.channel
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    ClientBootstrap(group: context.eventLoop)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(RelayHandler(client))
        }
      }
      .connect(host: String(parts.first ?? ""), port: parts.last.flatMap { Int($0) } ?? 80)
      .whenComplete { result in
        guard case .success(let server) = result else { return client.close(promise: nil) }
        bound.value.server = server
        client.writeAndFlush(
          ByteBuffer(string: "HTTP/1.1 200 Established\r\n\r\n"), promise: nil)
      }
  }

  func channelInactive(context: ChannelHandlerContext) { server?.close(promise: nil) }
}

/// Passes what a server sends on to the client.
private final class RelayHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let client: any Channel

  init(_ client: any Channel) { self.client = client }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    client.writeAndFlush(unwrapInboundIn(data), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { client.close(promise: nil) }
}
#endif
