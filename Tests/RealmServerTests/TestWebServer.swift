// SPDX-License-Identifier: Apache-2.0

// A web server of a test: published keys, and webhooks.

#if Server
import NIOCore
import NIOHTTP1
import NIOPosix
import RealmStorage

/// Answers requests on the loopback address, and keeps them.
final class TestWebServer: Sendable {
  struct Request: Sendable {
    let path: String
    let signature: String
    /// The header of a chain of triggers; nil if there is none.
    let chain: String?
    let body: String
  }

  private let channel: any Channel
  private let kept: Locked<[Request]>
  private let answers: Locked<[String: Answer]>

  /// What a path answers with.
  struct Answer: Sendable {
    let text: String
    var status = 200
    /// Where the answer sends the client; nil for nowhere.
    var location: String?
    /// Whether the answer never comes.
    var isHeld = false
  }

  init() async throws {
    let kept = Locked<[Request]>([])
    self.kept = kept
    let answers = Locked<[String: Answer]>([:])
    self.answers = answers
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.configureHTTPServerPipeline()
          try channel.pipeline.syncOperations.addHandler(
            AnswerHandler { request in
              kept.withLock { $0.append(request) }
              let path = request.path.prefix { $0 != "?" }
              return answers.withLock { $0[String(path)] }
            })
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
  }

  var address: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

  /// The requests to a path, with any query.
  func requests(_ path: String) -> [Request] {
    kept.withLock { $0.filter { $0.path.prefix { $0 != "?" } == path } }
  }

  /// Sets the answer to requests of a path; others get 404.
  func answer(_ path: String, _ text: String) { answer(path, Answer(text: text)) }

  func answer(_ path: String, _ answer: Answer) { answers.withLock { $0[path] = answer } }

  /// Answers requests to a path with 404 from now on.
  func forget(_ path: String) { answers.withLock { $0[path] = nil } }

  func stop() async throws { try await channel.close() }
}

/// Reads a request, and writes its answer.
private final class AnswerHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let answer: @Sendable (TestWebServer.Request) -> TestWebServer.Answer?
  private var head: HTTPRequestHead?
  private var body = ""

  init(_ answer: @escaping @Sendable (TestWebServer.Request) -> TestWebServer.Answer?) {
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head): self.head = head
    case .body(let part): body += String(buffer: part)
    case .end:
      let answer = answer(
        TestWebServer.Request(
          path: head?.uri ?? "", signature: head?.headers["Realm-Signature"].first ?? "",
          chain: head?.headers["Realm-Chain"].first, body: body))
      body = ""
      if answer?.isHeld == true { return }
      let text = answer?.text ?? ""
      var headers: HTTPHeaders = [
        "Content-Length": "\(text.utf8.count)", "Content-Type": "application/json",
      ]
      if let location = answer?.location { headers.add(name: "Location", value: location) }
      let head = HTTPResponseHead(
        version: .http1_1, status: HTTPResponseStatus(statusCode: answer?.status ?? 404),
        headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(
        wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
#endif
