// SPDX-License-Identifier: Apache-2.0

// A client of the example of a web service.

#if Tools
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

@testable import realm_notes

/// Sends requests to a service on this machine.
struct NoteClient: Sendable {
  let port: Int

  struct Answer {
    let status: UInt
    let body: Data

    func decode<Body: Decodable>(_ type: Body.Type) throws -> Body {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      return try decoder.decode(type, from: body)
    }
  }

  struct Received {
    let id: String
    let event: NoteEvent
  }

  func send(
    _ method: HTTPMethod, _ path: String, _ input: NoteInput? = nil
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/\(path)")
    request.method = method
    if let input {
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(try JSONEncoder().encode(input))
    }
    let response = try await HTTPClient.shared.execute(request, timeout: .minutes(10))
    let body = try await response.body.collect(upTo: 1 << 20)
    return Answer(status: response.status.code, body: Data(body.readableBytesView))
  }

  /// Calls `body` with the events of a connection, which is closed afterwards.
  func listen(
    since last: String?,
    _ body: (AsyncThrowingStream<Received, any Error>) async throws -> Void
  ) async throws {
    var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/notes/events")
    if let last { request.headers.add(name: "Last-Event-ID", value: last) }
    let response = try await HTTPClient.shared.execute(request, timeout: .minutes(10))
    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Received.self)
    let reader = Task {
      do {
        var text = ""
        for try await buffer in response.body {
          text += String(buffer: buffer)
          while let end = text.range(of: "\n\n") {
            if let event = try received(text[..<end.lowerBound]) { continuation.yield(event) }
            text.removeSubrange(..<end.upperBound)
          }
        }
        continuation.finish()
      } catch { continuation.finish(throwing: error) }
    }
    defer { reader.cancel() }
    try await body(stream)
  }

  private func received(_ text: Substring) throws -> Received? {
    var id = ""
    var event: NoteEvent?
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    for line in text.split(separator: "\n") {
      if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
      if line.hasPrefix("data: ") {
        event = try decoder.decode(NoteEvent.self, from: Data(line.dropFirst(6).utf8))
      }
    }
    return event.map { Received(id: id, event: $0) }
  }
}
#endif
