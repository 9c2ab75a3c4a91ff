// SPDX-License-Identifier: Apache-2.0

// Requests of HTTP, from Hummingbird to the API and back.

#if Server
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import RealmServerEngine

/// Answers requests of HTTP.
struct HTTPResponder: Sendable {
  let api: ServerAPI
  /// Writes the metrics; nil for none.
  let metrics: (@Sendable () -> String)?
  let counters: ServerMetrics
  let sockets: SocketService
  let options: ServerOptions
  let gate: ForwardGate
  let budget: MemoryBudget
  let times: ConnectionTimes
  let tracing: ServerTracing
  let logger: Logger
  private static let random = RandomBytes()

  func respond(
    _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
  ) async throws {
    let message = message(of: request, channel)
    if let answer = answerProbe(message) { return try await write(answer, to: message, writer) }
    let start = ContinuousClock.now
    let answer: APIResponse
    if gate.refuses(message.origin) {
      answer = APIError(403, "RestrictedHost", ForwardGate.message)
        .response(link: api.logLink(message))
    } else {
      switch await api.stream(for: message) {
      case .success(let stream)?: return try await write(stream, to: message, writer)
      case .failure(let refusal)?: answer = refusal.response
      case nil: answer = await self.answer(request, message, channel)
      }
    }
    if answer.status >= 400 {
      logger.debug("Request \(message.id): \(message.method) \(message.path) \(answer.status)")
    }
    counters.didAnswer(status: answer.status, after: ContinuousClock.now - start)
    try await write(answer, to: message, writer)
  }

  /// The answer for a program that asks whether the server runs (`/health`), and whether it takes
  /// connections (`/ready`); nil for other requests.
  private func answerProbe(_ message: APIRequest) -> APIResponse? {
    guard ["GET", "HEAD"].contains(message.method) else { return nil }
    let isReady = sockets.isReady
    switch message.path {
    case "/health": return APIResponse(body: Array(#"{"status":"ok"}"#.utf8))
    case "/ready" where isReady: return APIResponse(body: Array(#"{"status":"ready"}"#.utf8))
    case "/ready": return APIResponse(status: 503, body: Array(#"{"status":"ending"}"#.utf8))
    default: return nil
    }
  }

  private func write(
    _ answer: APIResponse, to request: APIRequest, _ writer: consuming ResponseWriter
  ) async throws {
    var head = head(status: .init(code: answer.status), to: request)
    if let type = answer.contentType {
      head.headerFields[.contentType] = type
      head.headerFields[.contentLength] = String(answer.body.count)
    }
    try await writer.write(
      response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
  }

  /// Writes a stream until it ends, or its client is gone.
  private func write(
    _ stream: EventStream, to request: APIRequest, _ writer: consuming ResponseWriter
  ) async throws {
    var head = head(status: .ok, to: request)
    head.headerFields[.contentType] = EventStream.contentType
    let body = ResponseBody { writer in
      var parts = stream.makeParts()
      while let bytes = await parts.next() { try await writer.write(ByteBuffer(bytes: bytes)) }
      try await writer.finish(nil)
    }
    try await writer.write(response: head, body: body)
  }

  /// The head of each answer to a request.
  private func head(status: HTTPResponse.Status, to request: APIRequest) -> HTTPResponse {
    var head = HTTPResponse(status: status)
    // Answers have tokens and users: no cache may keep them.
    head.headerFields[.cacheControl] = "no-store"
    let id = (name: ServerAPI.idHeader, value: request.id)
    for (name, value) in [id] + api.originHeaders(request) {
      if let name = HTTPField.Name(name) { head.headerFields[name] = value }
    }
    return head
  }

  /// The head of a request.
  private func message(of request: Request, _ channel: any Channel) -> APIRequest {
    var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
    if let host = request.head.authority { headers.append((name: "Host", value: host)) }
    let origin = options.trustedProxies.origin(
      peer: channel.remoteAddress?.ipAddress ?? "", headers: headers,
      isEncrypted: options.isSecure)
    var message = APIRequest(
      request.method.rawValue, target: request.head.path ?? "/", headers: headers, origin: origin)
    message.id = Self.random.identifier()
    return message
  }

  private func answer(
    _ request: Request, _ message: APIRequest, _ channel: any Channel
  ) async -> APIResponse {
    var message = message
    if message.path == "/metrics", request.method == .get { return answerMetrics(message) }
    let memory = budget.share(address: message.origin.limitKey)
    do throws(APIError) {
      message.body = try await body(
        of: request, byteCountMax: api.bodyByteCountMax(message), memory, channel)
    } catch {
      return error.response(link: api.logLink(message))
    }
    let full = message
    return await tracing.span(of: full) { await api.respond(to: full) }
  }

  /// The body of a request, read within a limit of time.
  private func body(
    of request: Request, byteCountMax: Int, _ memory: MemoryBudget.Share, _ channel: any Channel
  ) async throws(APIError) -> [UInt8] {
    let timer = channel.eventLoop.scheduleTask(in: times.body) {
      channel.close(promise: nil)
    }
    defer { timer.cancel() }
    var bytes: [UInt8] = []
    do {
      for try await part in request.body {
        guard bytes.count + part.readableBytes <= byteCountMax else {
          throw APIError(413, "BadRequest", "the body is too large")
        }
        guard memory.take(part.readableBytes) else { throw APIError(AccountError.busy) }
        bytes.append(contentsOf: part.readableBytesView)
      }
    } catch let error as APIError {
      throw error
    } catch {
      throw APIError(400, "BadRequest", "the body is not complete")
    }
    return bytes
  }

  /// The metrics, for programs of this machine and for the owner of the token.
  private func answerMetrics(_ message: APIRequest) -> APIResponse {
    guard let metrics else { return APIResponse(status: 404, contentType: "text/plain", body: []) }
    let isKnown = options.metricsToken.map { message.hasBearerToken($0) } ?? false
    guard isKnown || message.origin.isLocal else {
      return APIResponse(
        status: 403, contentType: "text/plain",
        body: Array("The metrics are for this machine, or need --metrics-token-file.\n".utf8))
    }
    return APIResponse(contentType: "text/plain; version=0.0.4", body: Array(metrics().utf8))
  }
}
#endif
