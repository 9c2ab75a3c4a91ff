// SPDX-License-Identifier: Apache-2.0

// Requests of HTTP, from Hummingbird to the service of a page and back.
//
// Invariants:
// 1. A request is checked before its body is read.

#if Tools || Server
import HTTPTypes
package import HummingbirdCore
package import NIOCore

/// Carries requests and answers between sockets and the service of a page.
package struct PageResponder<Service: PageService>: Sendable {
  private let service: Service

  package init(_ service: Service) { self.service = service }

  /// Answers a request.
  package func respond(
    _ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel
  ) async throws {
    let answer = try await answer(request, port: channel.localAddress?.port ?? 0)
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

  private func answer(_ request: Request, port: Int) async throws -> PageResponse {
    var headers: [String: String] = [:]
    for field in request.headers { headers[field.name.canonicalName] = field.value }
    if let host = request.head.authority { headers["host"] = host }
    var received = PageRequest(
      request.method.rawValue, request.head.path ?? "/", headers: headers, port: port)
    let refusal = service.refusal(of: received)
    do {
      // That of a request that is refused is read, too, so that the connection can go on.
      received.body = Array(buffer: try await request.body.collect(upTo: service.bodyByteCountMax))
    } catch {
      return refusal ?? service.tooLarge(received)
    }
    if let refusal { return refusal }
    return await service.respond(to: received)
  }
}
#endif
