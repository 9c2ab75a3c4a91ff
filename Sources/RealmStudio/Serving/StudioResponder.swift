// SPDX-License-Identifier: Apache-2.0

// Requests of HTTP, from Hummingbird to the service and back.

#if Tools
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Carries requests and answers between sockets and `StudioService`.
struct StudioResponder: Sendable {
  let service: StudioService

  func respond(
    _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
  ) async throws {
    let answer = await answer(request, port: channel.localAddress?.port ?? 0)
    var head = HTTPResponse(status: .init(code: answer.status))
    for (name, value) in answer.headers {
      guard let name = HTTPField.Name(name) else { continue }
      head.headerFields.append(HTTPField(name: name, value: value))
    }
    switch answer.body {
    case .bytes(let bytes):
      head.headerFields[.contentLength] = String(bytes.count)
      try await writer.write(
        response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    case .events(let stream):
      try await writer.write(
        response: head,
        body: ResponseBody { writer in
          for await message in stream { try await writer.write(ByteBuffer(string: message)) }
          try await writer.finish(nil)
        })
    case .pieces(let stream):
      try await writer.write(
        response: head,
        body: ResponseBody { writer in
          for try await piece in stream { try await writer.write(ByteBuffer(string: piece)) }
          try await writer.finish(nil)
        })
    }
  }

  private func answer(_ request: Request, port: Int) async -> StudioResponse {
    var headers: [String: String] = [:]
    for field in request.headers { headers[field.name.canonicalName] = field.value }
    if let host = request.head.authority { headers["host"] = host }
    var received = StudioRequest(
      request.method.rawValue, request.head.path ?? "/", headers: headers, port: port)
    do {
      let body = try await request.body.collect(upTo: StudioService.bodyByteCountMax)
      received.body = Array(buffer: body)
    } catch {
      return StudioResponse(
        StudioFailure(413, "The request has more than \(StudioService.bodyByteCountMax) bytes."))
    }
    return await service.respond(to: received)
  }
}
#endif
