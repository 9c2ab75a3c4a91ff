// SPDX-License-Identifier: Apache-2.0

// The connections of the listener: HTTP, and WebSockets on the same port.

#if Server
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOWebSocket
import RealmNetworking
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol

/// Sets up each connection: a request for a socket becomes a WebSocket, others are answered by
/// Hummingbird.
struct SyncChannel: HTTPChannelHandler {
  /// The kind of a connection after its first request.
  enum Content: Sendable {
    case http(NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>)
    case socket(WebSocket, SocketRequest, MemoryBudget.Share)
    /// The connection of another server, with its name.
    case node(WebSocket, String, MemoryBudget.Share)
  }

  /// A connection.
  struct Value: ServerChildChannelValue {
    let content: EventLoopFuture<Content>
    let channel: any Channel
  }

  /// The connection itself measures messages, and closes with a reason: it gets a little more.
  private static let messageByteCountMax = ServerConnectionMachine.Limits().messageByteCount + 1024

  let responder: Responder
  let sockets: SocketService
  let options: ServerOptions
  let gate: ForwardGate
  let budget: MemoryBudget
  let times: ConnectionTimes

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      // Each channel keeps a buffer. It grows where more is received, and most clients say little.
      try channel.syncOptions?.setOption(
        .recvAllocator,
        value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 1 << 16))
      let deadline = ConnectionDeadline(headTime: times.head)
      try channel.pipeline.syncOperations.addHandler(deadline)
      let boundDeadline = NIOLoopBound(deadline, eventLoop: channel.eventLoop)
      let upgrader = NIOTypedWebSocketServerUpgrader<Content>(
        maxFrameSize: Self.messageByteCountMax,
        shouldUpgrade: { channel, head in
          if let request = NodeRequest(head) {
            guard sockets.nodes?.node(of: request) != nil else {
              return Self.refuse(channel, status: .unauthorized, Self.unknownNode)
            }
            let headers = HTTPHeaders([("Sec-WebSocket-Protocol", NodeRequest.protocolName)])
            return channel.eventLoop.makeSucceededFuture(headers)
          }
          guard let request = SocketRequest(head) else { return Self.refuse(channel) }
          if gate.refuses(origin(channel, head)) {
            return Self.refuse(channel, ForwardGate.message + "\n")
          }
          guard isAllowed(head, request.app) else {
            return Self.refuse(channel, status: .forbidden, Self.unknownPage)
          }
          let headers = HTTPHeaders([("Sec-WebSocket-Protocol", request.protocolName)])
          return channel.eventLoop.makeSucceededFuture(headers)
        },
        upgradePipelineHandler: { channel, head in
          if let request = NodeRequest(head) {
            return adopt(channel, sockets.nodes?.node(of: request))
          }
          guard var request = SocketRequest(head) else {
            return channel.eventLoop.makeFailedFuture(ChannelError.eof)
          }
          request.address = origin(channel, head).limitKey
          let taken = request
          let memory = budget.share(address: taken.address)
          return WebSocket.adopt(
            channel, isClient: false, protocolName: taken.protocolName,
            messageByteCountMax: Self.messageByteCountMax, memory: memory
          ).map { .socket($0, taken, memory) }
        })
      var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
        upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration<Content>(
          upgraders: [upgrader],
          notUpgradingCompletionHandler: { Self.setUpHTTP($0, pause: times.pause, logger) }))
      configuration.enablePipelining = false
      let content = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
        configuration: configuration)
      content.whenSuccess { _ in boundDeadline.value.requestDidBegin() }
      return Value(content: content, channel: channel)
    }
  }

  /// Takes over the connection of another server.
  private func adopt(
    _ channel: any Channel, _ node: String?
  ) -> EventLoopFuture<Content> {
    guard let node else { return channel.eventLoop.makeFailedFuture(ChannelError.eof) }
    // Frames are small. What becomes of them is noted, and refuses none: the sessions of all
    // clients of the other server would end.
    let memory = budget.share(address: "node " + node)
    return WebSocket.adopt(
      channel, isClient: false, protocolName: NodeRequest.protocolName,
      messageByteCountMax: NodeLimits().frameByteCount + 1_024
    ).map { .node($0, node, memory) }
  }

  private static let unknownPage =
    "Pages of this origin may not call the app: its app.json names others in \"allowed_origins\".\n"

  /// Whether the page that asks for a socket, if one does, may have it: one from the server's own
  /// address, or from an origin that the app names.
  private func isAllowed(_ head: HTTPRequestHead, _ app: String) -> Bool {
    guard let page = head.headers["Origin"].first else { return true }
    if sockets.allows(page, app) { return true }
    guard let origin = WebOrigin(page) else { return false }
    if let url = options.publicURL, WebOrigin(url) == origin { return true }
    // A page does not choose what these say.
    let hosts = head.headers["Host"] + head.headers["X-Forwarded-Host"]
    return hosts.contains { origin.isOf(host: $0) }
  }

  private static let unknownNode =
    "The token is none of a server of this database: their keys or their clocks differ.\n"

  /// The client of a handshake.
  private func origin(_ channel: any Channel, _ head: HTTPRequestHead) -> RequestOrigin {
    options.trustedProxies.origin(
      peer: channel.remoteAddress?.ipAddress ?? "",
      headers: head.headers.map { (name: $0.name, value: $0.value) },
      isEncrypted: options.isSecure)
  }

  /// Refuses a handshake and closes the connection.
  private static func refuse(
    _ channel: any Channel, status: HTTPResponseStatus = .badRequest,
    _ text: String =
      "The server has no such socket, or speaks none of the versions that are offered.\n"
  ) -> EventLoopFuture<HTTPHeaders?> {
    let headers = HTTPHeaders([
      ("Content-Type", "text/plain"), ("Content-Length", "\(text.utf8.count)"),
      ("Connection", "close"),
    ])
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    channel.write(HTTPServerResponsePart.head(head), promise: nil)
    channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))), promise: nil)
    return channel.writeAndFlush(HTTPServerResponsePart.end(nil))
      .flatMap { channel.close() }.map { nil }
  }

  private static func setUpHTTP(
    _ channel: any Channel, pause: Duration, _ logger: Logger
  ) -> EventLoopFuture<Content> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
      try pipeline.addHandler(
        HTTPConnectionStateHandler(idleTimeout: pause, logger: logger))
      return .http(
        try NIOAsyncChannel(
          wrappingChannelSynchronously: channel,
          configuration: .init(isOutboundHalfClosureEnabled: true)))
    }
  }

  func handle(value: Value, logger: Logger) async {
    do {
      switch try await value.content.get() {
      case .http(let channel): await serve(channel, logger)
      case .socket(let socket, let request, let memory):
        await sockets.serve(socket, request, memory)
        try? await value.channel.closeFuture.get()
      case .node(let socket, let node, let memory):
        await sockets.nodes?.serve(socket, of: node, memory)
        try? await value.channel.closeFuture.get()
      }
    } catch {
      logger.debug("A connection failed before its first request: \(error)")
      value.channel.close(promise: nil)
    }
  }

  /// Answers the requests of a connection.
  ///
  /// Not inlined: the memory that `handle` needs for it would be kept for each socket, too.
  @inline(never)
  private func serve(
    _ channel: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, _ logger: Logger
  ) async {
    await handleHTTP(asyncChannel: channel, logger: logger)
  }
}
#endif
