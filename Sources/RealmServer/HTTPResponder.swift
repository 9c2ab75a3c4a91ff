// SPDX-License-Identifier: Apache-2.0

// Requests of HTTP, from Hummingbird to the API and back.

#if Server
import HTTPTypes
import HummingbirdCore
import NIOCore
import RealmServerEngine

/// Answers requests of HTTP.
struct HTTPResponder: Sendable {
  private static let bodyByteCountMax = 4 << 20

  let api: ServerAPI
  let metrics: PrometheusMetrics
  let isSecure: Bool

  func respond(
    _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
  ) async throws {
    let answer = await answer(request, channel)
    var head = HTTPResponse(status: .init(code: answer.status))
    head.headerFields[.contentType] = answer.contentType
    head.headerFields[.contentLength] = String(answer.body.count)
    try await writer.write(
      response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
  }

  private func answer(_ request: Request, _ channel: any Channel) async -> APIResponse {
    let (path, query) = SocketRequest.parts(request.head.path ?? "/")
    if path == "/metrics", request.method == .get {
      return APIResponse(contentType: "text/plain; version=0.0.4", body: Array(metrics.text.utf8))
    }
    let body: ByteBuffer
    do {
      body = try await request.body.collect(upTo: Self.bodyByteCountMax)
    } catch {
      return APIError(413, "BadRequest", "the body is too large").response
    }
    var headers = request.headers.map { (name: $0.name.rawName, value: $0.value) }
    if let host = request.head.authority { headers.append((name: "Host", value: host)) }
    return await api.respond(
      to: APIRequest(
        request.method.rawValue, path, query: query, headers: headers, body: Array(buffer: body),
        address: address(channel, headers), isSecure: isSecure))
  }

  /// The address of the client. A proxy on this machine reports it.
  private func address(
    _ channel: any Channel, _ headers: [(name: String, value: String)]
  ) -> String {
    let peer = channel.remoteAddress?.ipAddress ?? ""
    guard APIRequest.isLocal(peer),
      let list = headers.last(where: { $0.name.lowercased() == "x-forwarded-for" })?.value,
      let last = list.split(separator: ",").last
    else { return peer }
    return last.filter { $0 != " " }
  }
}
#endif
