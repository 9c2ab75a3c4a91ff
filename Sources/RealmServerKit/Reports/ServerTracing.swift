// SPDX-License-Identifier: Apache-2.0

// Spans of the server's work.

#if Server
import RealmServerEngine
import RealmServerServices
import Tracing

/// Makes spans with the tracer of a server, or with that of the program.
struct ServerTracing: Sendable {
  /// Reads the context of a trace from the headers of a request.
  private struct Headers: Extractor {
    func extract(key: String, from request: APIRequest) -> String? { request[header: key] }
  }

  /// Nil for the tracer that the program has bootstrapped.
  var tracer: (any Tracer)?

  /// A session as it is served: with spans of its requests, if there is a tracer when it begins.
  func traced(
    _ session: any ServerRequestHandler, ofApp app: String
  ) -> any ServerRequestHandler {
    let isTraced = !((tracer ?? InstrumentationSystem.tracer) is NoOpTracer)
    return isTraced ? TracedSession(session, app: app, self) : session
  }

  /// Does something in a span.
  func span<R>(
    _ name: String, context: ServiceContext? = nil, _ body: (any Span) async throws -> R
  ) async rethrows -> R {
    let context = context ?? ServiceContext.current ?? .topLevel
    let span: any Span = (tracer ?? InstrumentationSystem.tracer)
      .startSpan(name, context: context, ofKind: .server)
    defer { span.end() }
    do {
      return try await ServiceContext.withValue(span.context) { try await body(span) }
    } catch {
      span.recordError(error)
      span.setStatus(SpanStatus(code: .error))
      throw error
    }
  }

  /// Answers a request in a span, as a part of the client's trace if the request names one.
  func span(
    of request: APIRequest, _ answer: () async -> APIResponse
  ) async -> APIResponse {
    var context = ServiceContext.current ?? .topLevel
    let instrument: any Instrument = tracer ?? InstrumentationSystem.instrument
    instrument.extract(request, into: &context, using: Headers())
    return await span("realm.http", context: context) { span in
      span.attributes["http.request.method"] = request.method
      span.attributes["url.path"] = request.path
      span.attributes["realm.request.id"] = request.id
      let response = await answer()
      span.attributes["http.response.status_code"] = Int64(response.status)
      if response.status >= 500 { span.setStatus(SpanStatus(code: .error)) }
      return response
    }
  }
}
#endif
