// SPDX-License-Identifier: Apache-2.0

// Requests of HTTP, from Hummingbird to the API and back.

#if Server
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import RealmServerEngine
import RealmServerServices

/// Answers requests of HTTP.
///
/// An answer counts in the memory of clients until it is taken: one that there is no room for is
/// not sent, and one that is not taken is cut off.
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
    let memory = budget.share(address: message.origin.limitKey)
    if let answer = answerProbe(message) {
      return try await write(answer, to: message, writer, memory, channel)
    }
    let start = ContinuousClock.now
    let answer: APIResponse
    var isWhole = true
    if gate.refuses(message.origin) {
      answer = APIError(403, "RestrictedHost", ForwardGate.message)
        .response(link: api.logLink(message))
    } else {
      switch await api.stream(for: message) {
      case .success(let stream)?:
        if let user = api.user(of: message) { memory.setUser(user) }
        return try await write(stream, to: message, writer, memory, channel)
      case .failure(let refusal)?: answer = refusal.response
      case nil:
        let found: APIResponse
        (found, isWhole) = await self.answer(request, message, memory, channel)
        answer = counted(found, message, memory)
      }
    }
    if answer.status >= 400 {
      logger.debug("Request \(message.id): \(message.method) \(message.path) \(answer.status)")
    }
    counters.didAnswer(status: answer.status, after: ContinuousClock.now - start)
    try await write(answer, to: message, writer, memory, channel, isLast: !isWhole)
  }

  /// The answer, if there is room for it.
  private func counted(
    _ answer: APIResponse, _ message: APIRequest, _ memory: MemoryBudget.Share
  ) -> APIResponse {
    // Small ones are no more than what each connection takes anyhow, and say what is wrong.
    guard answer.body.count > Self.partByteCount else { return answer }
    if memory.reserve(answer.body.count) { return answer }
    return APIError(AccountError.busy).response(link: api.logLink(message))
  }

  /// The bytes that are handed to a connection at a time.
  private static let partByteCount = 1 << 16

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

  /// Writes an answer.
  ///
  /// - Parameter isLast: Whether the connection ends with it, as the body of the request was not
  ///   read: the rest of it would be read for nothing.
  private func write(
    _ answer: APIResponse, to request: APIRequest, _ writer: consuming ResponseWriter,
    _ memory: MemoryBudget.Share, _ channel: any Channel, isLast: Bool = false
  ) async throws {
    var head = head(status: .init(code: answer.status), to: request)
    if let type = answer.contentType {
      head.headerFields[.contentType] = type
      head.headerFields[.contentLength] = String(answer.body.count)
    }
    if isLast { head.headerFields[.connection] = "close" }
    let time = times.answerPart
    let body = ResponseBody(contentLength: answer.body.count) { writer in
      try await Self.write(answer.body, &writer, in: time, channel)
      try await writer.finish(nil)
    }
    try await writer.write(response: head, body: body)
    withExtendedLifetime(memory) {}
    if isLast {
      channel.eventLoop.scheduleTask(in: Self.farewell) { channel.close(promise: nil) }
    }
  }

  /// Writes bytes in parts, of which each has to be taken in a time: otherwise the connection is
  /// closed, and what waits is forgotten.
  private static func write(
    _ bytes: [UInt8], _ writer: inout any ResponseBodyWriter, in time: TimeAmount,
    _ channel: any Channel
  ) async throws {
    for start in stride(from: 0, to: bytes.count, by: partByteCount) {
      let timer = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
      defer { timer.cancel() }
      let part = bytes[start..<min(start + partByteCount, bytes.count)]
      try await writer.write(ByteBuffer(bytes: part))
      // The writer accepts parts until the event loop has made it wait for the connection: before
      // that it may accept the whole answer, which then is in no budget.
      try await channel.eventLoop.submit {}.get()
    }
  }

  /// Writes a stream until it ends, its client is gone or takes nothing, or there is no room for
  /// what comes next.
  private func write(
    _ stream: EventStream, to request: APIRequest, _ writer: consuming ResponseWriter,
    _ memory: MemoryBudget.Share, _ channel: any Channel
  ) async throws {
    var head = head(status: .ok, to: request)
    head.headerFields[.contentType] = EventStream.contentType
    let time = times.answerPart
    let body = ResponseBody { writer in
      var parts = stream.makeParts()
      while let bytes = await parts.next(), memory.reserve(bytes.count) {
        try await Self.write(bytes, &writer, in: time, channel)
        memory.release(bytes.count)
      }
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

  /// The time in which the client takes an answer that is the last of its connection.
  private static let farewell = TimeAmount.seconds(1)

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

  /// The answer, and whether the body was read.
  private func answer(
    _ request: Request, _ message: APIRequest, _ memory: MemoryBudget.Share,
    _ channel: any Channel
  ) async -> (APIResponse, isWhole: Bool) {
    var message = message
    if message.path == "/metrics", request.method == .get {
      return (answerMetrics(message), true)
    }
    if let user = api.user(of: message) { memory.setUser(user) }
    do throws(APIError) {
      message.body = try await body(
        of: request, byteCountMax: api.bodyByteCountMax(message), memory, channel)
    } catch {
      return (error.response(link: api.logLink(message)), false)
    }
    let full = message
    defer { memory.giveBack(full.body.count) }
    return (await tracing.span(of: full) { await api.respond(to: full) }, true)
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
