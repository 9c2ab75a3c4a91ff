// SPDX-License-Identifier: Apache-2.0

// What a server reports: probes, metrics and their dashboard, logs as JSON.

#if Server
import Foundation
import Logging
import Metrics
import RealmFormats
import RealmNetworking
import RealmStorage
import RealmSwift
import RealmSync
import RealmSyncProtocol
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct ReportTests {
  private static func get(_ server: RunningServer, _ path: String) async throws -> (Int, String) {
    let answer = try await ClientTransport.shared.send(
      HTTPRequest(.get, url: server.address + path))
    return (answer.status, String(decoding: answer.body, as: UTF8.self))
  }

  // MARK: Probes

  @Test func aServerSaysThatItRunsAndIsReady() async throws {
    let server = try await RunningServer(mode: .partition)
    #expect(try await Self.get(server, "/health") == (200, #"{"status":"ok"}"#))
    #expect(try await Self.get(server, "/ready?x=1") == (200, #"{"status":"ready"}"#))
    expectTrue(server.program.status.sockets.isReady)
    try await server.stop()
    // From the beginning of its end on it takes no connections.
    expectFalse(server.program.status.sockets.isReady)
  }

  /// Load balancers bring devices to other servers while connections end.
  @Test func aServerThatDrainsIsNotReadyAndServesStill() async throws {
    var times = ConnectionTimes.patient
    times.drain = .seconds(3_600)
    let timer = SkippingTimer()
    let server = try await RunningServer(mode: .partition, timer: timer.clock, times: times)
    let user = try await server.user()
    let device = try await ServedDevice(user.connection())
    try device.put(1, "a")
    try await device.wait(for: .upload)
    let end = Task { try await server.stop() }
    while server.program.status.sockets.isReady { try await Task.sleep(for: .milliseconds(5)) }
    try await expectEqual(Self.get(server, "/ready").0, 503)
    // Who comes meanwhile is served.
    let other = try await ServedDevice(user.connection())
    try other.put(2, "b")
    try await other.wait(for: .upload)
    await device.close()
    await other.close()
    timer.skip(3_600_000)
    try await end.value
  }

  // MARK: Metrics

  @Test func whatTakesTimeIsCountedInRanges() async throws {
    let server = try await RunningServer(mode: .partition)
    let device = try await ServedDevice(try await server.user().connection())
    try device.put(1, "a")
    try await device.wait(for: .upload)
    await server.program.status.measure()
    let text = server.metrics.text
    #expect(text.contains("# TYPE realm_upload_seconds histogram\n"))
    #expect(text.contains("realm_upload_seconds_bucket{le=\"+Inf\"} "))
    #expect(text.contains("realm_requests_total{status=\"2xx\"} "))
    expectTrue(text.contains("realm_sessions_open 1.0\n"))
    expectTrue(text.contains("realm_disk_free_bytes "))
    // What the process uses, what it holds beyond that, and what clients take, of their limit.
    for name in [
      "realm_memory_used_bytes", "realm_memory_free_bytes", "realm_client_memory_bytes",
      "realm_client_memory_limit_bytes", "realm_pinned_versions", "realm_pinned_bytes",
      "realm_pinned_versions_behind_max", "realm_pinned_seconds_max",
    ] { expectTrue(text.contains("\n\(name) "), "\(name)") }
    expectFalse(text.contains("\nrealm_memory_used_bytes 0.0\n"))
    expectTrue(text.contains("\nrealm_file_bytes "))
    expectFalse(text.contains("\nrealm_file_bytes 0.0\n"))
    await device.close()
    try await server.stop()
  }

  @Test func whatOldVersionsKeepIsMeasured() throws {
    let directory = try TemporaryDirectory()
    let files = try ["a", "b"].map { try DatabaseFile.open(path: directory.file("\($0).realm")) }
    func commit(to file: DatabaseFile) throws {
      let write = try WriteGroup(file.beginWrite())
      let name = "class_C\(file.newestVersion)"
      _ = try write.createTable(named: name)
      _ = try write.commit()
    }
    for file in files { try commit(to: file) }
    let whole = FileFigures(files)
    expectEqual(whole.oldVersionCount, 0)
    expectEqual(whole.pinnedByteCount, 0)
    try expectEqual(whole.byteCount, files.reduce(0) { try $0 + $1.fileByteCount() })
    let old = try files[1].snapshot()
    for _ in 0..<3 { for file in files { try commit(to: file) } }
    let newer = try files[1].snapshot()
    try commit(to: files[1])
    let figures = FileFigures(files)
    expectEqual(figures.oldVersionCount, 2)
    expectEqual(figures.behindCountMax, 4)
    expectTrue(figures.heldNanosecondsMax > 0)
    expectTrue(figures.pinnedByteCount > 0)
    withExtendedLifetime((old, newer)) {}
    let open = FileRegistry.shared.openFiles
    expectTrue(files.allSatisfy { file in open.contains { $0 === file } })
  }

  /// What an app's own code does is counted by app, name and outcome.
  @Test func functionsTriggersAndWebhooksAreCounted() async throws {
    let web = try await TestWebServer()
    web.answer("/sum", "3")
    web.answer("/on", TestWebServer.Answer(text: "", status: 500))
    let secret = String(repeating: "w", count: 32)
    func function(_ name: String, _ isPrivate: Bool = false) -> String {
      #"{"name":"\#(name)","private":\#(isPrivate),"webhook":"\#(web.address)/\#(name)","#
        + #""secret":"\#(secret)"}"#
    }
    var table = FunctionTable()
    table["fails"] = { _ in throw FunctionError.failed("no") }
    let server = try await RunningServer(
      file: """
        {"id":"todos","mode":"development","sync":"flexible","providers":{"anon-user":{}},
         "functions":[\(function("sum")),\(function("on", true))],
         "triggers":[
          {"name":"first","type":"database","collection":"Todo","function":"on",
           "attempts":1},
          {"name":"left","type":"database","collection":"Todo","function":"on","attempts":1,
           "on_failure":"skip"}]}
        """, functions: table)
    let user = try await AppDevice(server, "ann").user
    try await expectEqual(user.functions.sum([]), 3)
    await #expect(throws: AppError.self) { try await user.functions.fails([]) }
    // What is not there has no line: a client cannot make any.
    await #expect(throws: AppError.self) { try await user.functions.nope([]) }
    _ = try await user.mongoClient("mongodb-atlas").database(named: "db")
      .collection(withName: "Todo").insertOne(["name": "a"])
    let expected = [
      #"realm_function_calls_total{app="todos",function="sum",outcome="done"} 1"#,
      #"realm_function_calls_total{app="todos",function="fails",outcome="failed"} 1"#,
      #"realm_function_calls_total{app="todos",function="on",outcome="failed"} 2"#,
      #"realm_function_seconds_count{app="todos",function="sum"} 1"#,
      #"realm_trigger_events_total{app="todos",trigger="first",outcome="failed"} 1"#,
      #"realm_trigger_events_total{app="todos",trigger="left",outcome="skipped"} 1"#,
      #"realm_trigger_suspended{app="todos",trigger="first"} 1.0"#,
      #"realm_trigger_suspended{app="todos",trigger="left"} 0.0"#,
      #"realm_trigger_behind{app="todos",trigger="left"} 0.0"#,
      #"realm_webhook_requests_total{app="todos",event="function",outcome="done"} 1"#,
      #"realm_webhook_requests_total{app="todos",event="function",outcome="failed"} 2"#,
    ]
    var missing = expected
    for _ in 0..<3_000 where !missing.isEmpty {
      try await Task.sleep(for: .milliseconds(20))
      await server.program.status.measure()
      let lines = Set(server.metrics.text.split(separator: "\n").map(String.init))
      missing = expected.filter { !lines.contains($0) }
    }
    expectTrue(missing.isEmpty, "\(missing)")
    expectFalse(server.metrics.text.contains("nope"))
    try await server.stop()
    try await web.stop()
  }

  @Test func aHistogramKnowsAboutHowLongMostThingsTake() {
    let histogram = LatencyHistogram()
    expectEqual(histogram.snapshot.quantile(0.5), nil)
    for _ in 0..<90 { histogram.add(.milliseconds(3)) }
    for _ in 0..<10 { histogram.add(.milliseconds(300)) }
    let snapshot = histogram.snapshot
    expectEqual(snapshot.count, 100)
    expectTrue(abs(snapshot.seconds - 3.27) < 0.001)
    expectTrue((0.0025...0.005).contains(snapshot.quantile(0.5) ?? 0))
    expectTrue((0.25...0.5).contains(snapshot.quantile(0.95) ?? 0))
    histogram.add(seconds: 1_000)
    expectEqual(histogram.snapshot.quantile(1), 10)
    let timer = PrometheusTimer()
    timer.recordNanoseconds(2_000_000)
    let lines = timer.lines("x_seconds", "{app=\"a\"}")
    #expect(lines.contains("x_seconds_bucket{app=\"a\",le=\"0.0025\"} 1"))
    #expect(lines.contains("x_seconds_count{app=\"a\"} 1"))
    #expect(lines.contains("x_seconds_bucket{app=\"a\",le=\"0.001\"} 0"))
  }

  /// Each metric of the dashboard is one that a server has.
  @Test func theDashboardShowsWhatTheServerExports() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Documentation/Sync/grafana-dashboard.json").standardizedFileURL
    let json = try JSONParser.parse(Array(try Data(contentsOf: file)))
    let panels = try #require(json["panels"]?.array)
    expectTrue(panels.count >= 8)
    let metrics = PrometheusMetrics()
    let counters = ServerMetrics(metrics)
    counters.didAnswer(status: 200, after: .milliseconds(1))
    for kind in [CodeRun.Kind.function("f"), .trigger("t"), .webhook("push")] {
      counters.code.didRun(CodeRun(app: "a", kind: kind, outcome: .done, time: 1))
    }
    let trigger = TriggerSettings("t", function: "f", .database(DatabaseTrigger("Todo")))
    counters.code.show([(app: "a", status: TriggerStatus(trigger))])
    let exported = Set(
      metrics.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        .compactMap { $0.prefix { $0 != "{" && $0 != " " }.description })
    var used: Set<String> = []
    for panel in panels {
      expectEqual(panel["title"]?.string?.isEmpty, false)
      let targets = try #require(panel["targets"]?.array)
      expectFalse(targets.isEmpty)
      for target in targets {
        let expression = try #require(target["expr"]?.string)
        let names = expression.matches(of: /realm_[a-z_]+/).map { String($0.0) }
        expectFalse(names.isEmpty)
        for name in names {
          expectTrue(exported.contains(name), "\(name) of '\(expression)'")
          used.insert(name)
        }
      }
    }
    #expect(
      used.isSuperset(of: [
        "realm_connections_open", "realm_upload_seconds_bucket", "realm_trigger_behind",
        "realm_trigger_events_total", "realm_function_calls_total", "realm_webhook_requests_total",
      ]))
  }

  // MARK: Logs

  @Test func aLogForProgramsHasAnObjectInEachLine() throws {
    let lines = Locked<[[UInt8]]>([])
    var logger = Logger(label: "realm-server") { label in
      JSONLog(label: label) { line in lines.withLock { $0.append(line) } }
    }
    logger[metadataKey: "app"] = "todos"
    logger.info("a \"b\"\n\u{1}c", metadata: ["n": "1", "list": ["x"], "more": ["k": "v"]])
    logger.debug("nothing")
    logger.error("no metadata of its own")
    let found = lines.withLock { $0 }
    expectEqual(found.count, 2)
    for line in found { #expect(line.last == 10 && line.count { $0 == 10 } == 1) }
    let json = try JSONParser.parse(found[0])
    expectEqual(json["level"]?.string, "info")
    expectEqual(json["label"]?.string, "realm-server")
    expectEqual(json["message"]?.string, "a \"b\"\n\u{1}c")
    expectEqual(json["metadata"]?["app"]?.string, "todos")
    expectEqual(json["metadata"]?["list"], .array(["x"]))
    expectEqual(json["metadata"]?["more"]?["k"]?.string, "v")
    expectEqual(json["time"]?.string?.hasSuffix("Z"), true)
  }

  /// `RecentNotices` 1
  @Test func theLastWarningsAndErrorsAreKeptForThePage() {
    let notices = RecentNotices()
    let log = Locked<[String]>([])
    let logger = notices.following(
      Logger(label: "test") { _ in KeptLog { text in log.withLock { $0.append(text) } } })
    logger.info("nothing")
    logger.warning("a")
    for number in 0..<300 { logger.error("\(number) \(String(repeating: "x", count: 1_000))") }
    let kept = notices.all
    expectEqual(kept.count, RecentNotices.countMax)
    expectEqual(notices.errorCount, 300)
    expectEqual(kept.first?.number, 301)
    expectEqual(kept.first?.level, .error)
    #expect(kept.allSatisfy { $0.text.utf8.count <= 500 })
    // The log has all, as before.
    expectEqual(log.withLock { $0.count }, 302)
  }

  @Test(.enabled(if: ServerProcess.isBuilt, "the program was not built with the tests"))
  func theProgramLogsJSON() async throws {
    let directory = try TemporaryDirectory()
    let program = try SpawnedProgram(
      ServerProcess.path,
      [
        "serve", "--dir", directory.path + "/data", "--listen", "127.0.0.1:0", "--log-format",
        "json",
      ], output: .null, errors: .file(directory.file("log.txt")))
    defer { program.kill() }
    var lines: [Substring] = []
    for _ in 0..<6_000 where lines.isEmpty {
      try await Task.sleep(for: .milliseconds(10))
      let text = (try? String(contentsOfFile: directory.file("log.txt"), encoding: .utf8)) ?? ""
      lines = text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1)
    }
    for line in lines {
      #expect(try JSONParser.parse(String(line))["level"]?.string != nil, "\(line)")
    }
    expectFalse(lines.isEmpty)
  }
}
#endif
