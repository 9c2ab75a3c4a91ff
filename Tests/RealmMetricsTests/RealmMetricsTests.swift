// SPDX-License-Identifier: Apache-2.0

// What a program's metrics and tracing learn of commits.

#if Metrics
import Foundation
import InMemoryTracing
import MetricsTestKit
import RealmMetrics
import RealmSwift
import Testing
import Tracing

final class MeasuredNote: Object {
  @Persisted var text: String
}

@Suite(.serialized) struct RealmMetricsTests {
  private func configuration(_ name: String) -> Realm.Configuration {
    let folder = FileManager.default.temporaryDirectory
    return Realm.Configuration(
      fileURL: folder.appendingPathComponent("\(name)-\(UUID().uuidString).realm"),
      objectTypes: [MeasuredNote.self])
  }

  private func remove(_ configuration: Realm.Configuration) {
    _ = try? Realm.deleteFiles(for: configuration)
  }

  @Test func commitsAreCounted() throws {
    let factory = TestMetrics()
    let configuration = configuration("counted")
    defer { remove(configuration) }
    let file = try #require(configuration.fileURL).lastPathComponent
    do {
      let realm = try Realm(configuration: configuration)
      let metrics = RealmMetrics.start(factory: factory, traces: false)
      for text in ["a", "b", "c"] {
        try realm.write { realm.create(MeasuredNote.self, value: ["text": text]) }
      }
      metrics.stop()
      try realm.write { realm.create(MeasuredNote.self, value: ["text": "after"]) }
    }
    let dimensions = [("file", file)]
    func total(_ label: String) throws -> Int64 {
      try factory.expectCounter(label, dimensions).totalValue
    }
    #expect(try total("realm_commits_total") == 3)
    #expect(try total("realm_transactions_total") == 3)
    #expect(try total("realm_written_bytes_total") > 3 * 100)
    #expect(try factory.expectTimer("realm_sync_seconds", dimensions).values.count == 3)
    #expect(try factory.expectTimer("realm_write_wait_seconds", dimensions).values == [0, 0, 0])
    #expect(try factory.expectGauge("realm_version", dimensions).values.count == 3)
    let versions = try factory.expectGauge("realm_active_versions", dimensions).values
    #expect(versions.allSatisfy { $0 >= 1 })
  }

  @Test func commitsAreSpansOfTheWriteAroundThem() throws {
    let tracer = InMemoryTracer()
    InstrumentationSystem.bootstrap(tracer)
    let configuration = configuration("traced")
    defer { remove(configuration) }
    do {
      let realm = try Realm(configuration: configuration)
      let metrics = RealmMetrics.start(factory: TestMetrics())
      _ = try withSpan("request") { _ in
        try realm.write { realm.create(MeasuredNote.self, value: ["text": "x"]) }
      }
      metrics.stop()
    }
    let spans = tracer.popFinishedSpans()
    let request = try #require(spans.first { $0.operationName == "request" })
    // Commits of other tests have spans, too.
    let commit = try #require(
      spans.first { $0.operationName == "realm.commit" && $0.parentSpanID == request.spanID })
    #expect(commit.attributes.get("realm.transactions") == .int64(1))
    #expect(
      commit.startInstant.nanosecondsSinceEpoch <= commit.endInstant.nanosecondsSinceEpoch)
  }
}
#endif
