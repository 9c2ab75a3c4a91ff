// SPDX-License-Identifier: Apache-2.0

// Spans of the requests of sessions.

#if Server
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import Tracing

/// A session whose requests are spans.
struct TracedSession: ServerRequestHandler {
  private let base: any ServerRequestHandler
  private let app: String
  private let tracing: ServerTracing

  init(_ base: any ServerRequestHandler, app: String, _ tracing: ServerTracing) {
    self.base = base
    self.app = app
    self.tracing = tracing
  }

  var heldByteCount: Int { base.heldByteCount }

  var isForwarded: Bool { base.isForwarded }

  func end() { base.end() }

  func close() async { await base.close() }

  func perform(_ request: ServerStoreRequest) async -> ServerStoreReply {
    guard let name = Self.name(of: request) else { return await base.perform(request) }
    return await tracing.span(name) { span in
      span.attributes["realm.app"] = app
      if case .integrate(_, _, let entries) = request {
        span.attributes["realm.changesets"] = Int64(entries.count)
      }
      let reply = await base.perform(request)
      if case .refused(let refusal) = reply {
        span.setStatus(SpanStatus(code: .error, message: refusal.document.message))
      }
      return reply
    }
  }

  /// The name of the span of a request; nil for requests that only look something up.
  private static func name(of request: ServerStoreRequest) -> String? {
    switch request {
    case .bind: "realm.sync.bind"
    case .setQuery: "realm.sync.query"
    case .nextDownload: "realm.sync.download"
    case .integrate: "realm.sync.upload"
    case .lookUp, .claim, .currentHead: nil
    }
  }
}
#endif
