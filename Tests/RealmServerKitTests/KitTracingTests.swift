// SPDX-License-Identifier: Apache-2.0

// The spans of a server.

#if Server
import Foundation
import InMemoryTracing
import RealmServerEngine
import RealmServerServices
import RealmSwift
import RealmSyncProtocol
import TestExtensions
import Testing
import Tracing

@testable import RealmServerKit

struct KitTracingTests {
  @Test @MainActor func requestsFunctionsAndSessionsAreSpans() async throws {
    let tracer = InMemoryTracer()
    var app = AppDefinition.open()
    app.function("sum") { (call, a: Int, b: Int) in a + b }
    try await KitServer.run(app, configure: { $0.tracer = tracer }) { server in
      let user = try await server.user()
      _ = try await user.call("sum", [1, 2])
      _ = await KitServer.error { try await user.call("sum", [1]) }
      var configuration = user.flexibleSyncConfiguration()
      configuration.objectTypes = [KitTodo.self, KitPlace.self]
      _ = try await Realm(configuration: configuration, downloadBeforeOpen: .always)
    }
    let spans = tracer.finishedSpans
    let calls = spans.filter { $0.operationName == "realm.function" }
    expectTrue(calls.count == 2)
    #expect(calls.allSatisfy { $0.attributes.get("realm.function") == .string("sum") })
    #expect(calls.filter { $0.status?.code == .error }.count == 1)
    let request = try #require(
      spans.first { span in
        span.operationName == "realm.http" && calls.contains { $0.parentSpanID == span.spanID }
      })
    expectTrue(request.attributes.get("http.request.method") == .string("POST"))
    expectTrue(request.attributes.get("http.response.status_code") == .int64(200))
    #expect(spans.contains { $0.operationName == "realm.sync.bind" })
    #expect(spans.contains { $0.operationName == "realm.sync.download" })
  }

  private struct Session: ServerRequestHandler {
    var heldByteCount: Int { 0 }
    func perform(_ request: ServerStoreRequest) async -> ServerStoreReply { .done }
    func end() {}
    func close() async {}
  }

  @Test func aSessionWithoutATracerIsServedAsItIs() async {
    let plain = ServerTracing(tracer: NoOpTracer()).traced(Session(), ofApp: "todos")
    expectTrue(plain is Session)
    let tracer = InMemoryTracer()
    let traced = ServerTracing(tracer: tracer).traced(Session(), ofApp: "todos")
    _ = await traced.perform(.nextDownload(after: DownloadCursor()))
    expectEqual(tracer.finishedSpans.map(\.operationName), ["realm.sync.download"])
  }
}
#endif
