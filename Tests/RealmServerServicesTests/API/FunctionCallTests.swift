// SPDX-License-Identifier: Apache-2.0

// Functions as clients call them: closures with their options, and webhooks.

#if Server
import RealmFormats
import RealmStorage
import RealmSyncProtocol
import RealmText
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct FunctionCallTests {
  private static let url = "https://hooks.example.org/sum"
  private static let secret = String(repeating: "s", count: 32)
  private static let hook = Webhook(url: url, secret: Secret(secret))

  private static func call(
    _ bench: APIBench, _ login: TestLogin, _ name: String, _ arguments: String = ""
  ) async -> APIResponse {
    await bench.send(
      "POST", APIBench.app + "/functions/call", #"{"name":"\#(name)","arguments":[\#(arguments)]}"#,
      token: login.access)
  }

  // MARK: Closures

  /// A value that is none would be compared as another one, so no call gets it.
  @Test func argumentsThatAreNoValuesAreRefusedWithTheirPlace() async throws {
    var table = FunctionTable()
    table["f"] = { _ in .bool(true) }
    let bench = try APIBench(functions: table)
    let login = try await bench.anonymous()
    let answer = await Self.call(
      bench, login, "f", #"1,{"query":{"_id":{"$in":[{"$numberDecimal":"abc"}]}}}"#)
    expectEqual(answer.error, "400 BadBsonParse")
    expectTrue(
      answer.text.contains(
        "the arguments are no extended JSON: '[1].query._id.$in[0]' is no $numberDecimal"),
      "\(answer.text)")
  }

  @Test func privateFunctionsAreForOtherFunctions() async throws {
    var table = FunctionTable()
    table.add("hidden", FunctionOptions(isPrivate: true)) { call in
      .string("\(call.caller == .system) \(call.arguments.count)")
    }
    table["open"] = { call in try await call.callFunction("hidden", [.null]) }
    let bench = try APIBench(functions: table)
    let login = try await bench.anonymous()
    let hidden = await Self.call(bench, login, "hidden")
    expectEqual(hidden.error, "404 FunctionNotFound")
    // As one that is not there.
    let unknown = await Self.call(bench, login, "unknown")
    expectEqual(hidden.text.replacing("hidden", with: "unknown"), unknown.text)
    await expectEqual(Self.call(bench, login, "open").text, #""true 1""#)
    expectTrue(bench.functions.has("hidden"))
    expectFalse(bench.functions.has("unknown"))
    // The app's file counts before the program.
    bench.functions.set([FunctionSettings("open", FunctionOptions(isPrivate: true))])
    await expectEqual(Self.call(bench, login, "open").error, "404 FunctionNotFound")
  }

  @Test func aConditionSaysWhoMayCall() async throws {
    var table = FunctionTable()
    let rule = RuleExpression.comparison(
      .expansion(.customData(["level"])), .equal(.value(.int64(3))))
    table.add("f", FunctionOptions(canEvaluate: rule)) { call in
      call.user?.customData ?? .null
    }
    let bench = try APIBench(functions: table)
    let login = try await bench.anonymous()
    let refused = await Self.call(bench, login, "f")
    expectEqual(refused.error, "403 NoMatchingRuleFound")
    try await bench.accounts.setCustomData(
      .document([BSONElement("level", .int64(3))]), of: login.user)
    await expectEqual(Self.call(bench, login, "f").text, #"{"level":{"$numberLong":"3"}}"#)
  }

  /// `FunctionService` 1
  @Test func aFunctionEndsInItsTime() async throws {
    let (endless, gate) = AsyncStream.makeStream(of: Void.self)
    let isCancelled = Locked(false)
    var table = FunctionTable()
    table.add("stubborn", FunctionOptions(timeout: 1)) { _ in
      await Task.detached { for await _ in endless {} }.value
      isCancelled.withLock { $0 = Task.isCancelled }
      return .null
    }
    var limits = FunctionLimits()
    limits.callsPerUser = 1
    let bench = try APIBench(functions: table, functionLimits: limits)
    let login = try await bench.anonymous()
    await expectEqual(Self.call(bench, login, "stubborn").error, "400 ExecutionTimeLimitExceeded")
    // It still counts while it runs.
    await expectEqual(Self.call(bench, login, "stubborn").error, "503 InternalServerError")
    gate.finish()
    for _ in 0..<30_000 where !isCancelled.withLock({ $0 }) {
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(isCancelled.withLock { $0 })
  }

  /// `FunctionService` 1: whether the request to a webhook ends first, or the time of the call.
  @Test(arguments: [(999, false), (1_000, true), (5_000, true)])
  func aWebhookWithoutAnswerIsLate(after time: Milliseconds, isLate: Bool) async throws {
    let now = Locked<Milliseconds>(0)
    // The alarm of the call never comes: on a busy machine it may be the later one.
    let timer = SyncClock(
      now: { now.withLock { $0 } },
      sleep: { (_) async throws(CancellationError) in
        try? await Task.sleep(for: .seconds(86_400))
        throw CancellationError()
      })
    let services = TestServices()
    services.set("https://hook.example/f") { _ throws(AppFailure) in
      now.withLock { $0 += time }
      throw .transport("no answer in time")
    }
    let hook = Webhook(url: "https://hook.example/f", secret: Secret("w"))
    let bench = try APIBench(
      transport: services,
      functionSettings: [
        FunctionSettings("f", webhook: hook, FunctionOptions(timeout: 1_000))
      ], timer: timer)
    let login = try await bench.anonymous()
    await expectEqual(
      Self.call(bench, login, "f").error,
      isLate ? "400 ExecutionTimeLimitExceeded" : "400 FunctionExecutionError")
  }

  /// `FunctionService` 2
  @Test func fewFunctionsRunAtATime() async throws {
    let (release, gate) = AsyncStream.makeStream(of: Void.self)
    let running = Locked(0)
    var table = FunctionTable()
    table["wait"] = { _ in
      running.withLock { $0 += 1 }
      for await _ in release {}
      return .null
    }
    var limits = FunctionLimits()
    (limits.callCount, limits.callsPerUser, limits.systemCallCount) = (3, 2, 1)
    let bench = try APIBench(functions: table, functionLimits: limits)
    let logins = [try await bench.anonymous(), try await bench.anonymous()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for login in [logins[0], logins[0], logins[1]] {
        group.addTask { await expectEqual(Self.call(bench, login, "wait").status, 200) }
      }
      while running.withLock({ $0 }) < 3 { await Task.yield() }
      for login in logins {
        await expectEqual(Self.call(bench, login, "wait").error, "503 InternalServerError")
      }
      // Triggers have a room of their own.
      group.addTask { _ = try await bench.functions.call("wait", [], by: .trigger("t")) }
      while running.withLock({ $0 }) < 4 { await Task.yield() }
      await #expect(throws: FunctionError.busy) {
        try await bench.functions.call("wait", [], by: .system)
      }
      gate.finish()
      try await group.waitForAll()
    }
  }

  @Test func aResultHasASize() async throws {
    var table = FunctionTable()
    table["large"] = { _ in
      .string(String(repeating: "a", count: FunctionLimits.resultByteCountMax))
    }
    let services = TestServices()
    services.set(
      Self.url, "\"\(String(repeating: "a", count: FunctionLimits.resultByteCountMax))\"")
    let bench = try APIBench(
      functions: table, transport: services,
      functionSettings: [FunctionSettings("sum", webhook: Self.hook)])
    let login = try await bench.anonymous()
    for name in ["large", "sum"] {
      let answer = await Self.call(bench, login, name)
      expectEqual(answer.error, "400 FunctionExecutionError")
      expectTrue(answer.text.contains("4 MiB"))
    }
  }

  @Test func functionsCallDocumentsAsTheirUser() async throws {
    let documents = try DocumentBench(
      roles: #"""
        {"classes":{"Thing":[{"name":"a","apply_when":{},"read":true,
          "document_filters":{"read":{"n":1}}}]}}
        """#)
    let found = Locked<[String]>([])
    var table = FunctionTable()
    table["f"] = { call in
      for asSystem in [false, true] {
        let arguments = try ExtendedJSONReader.parse(
          #"{"database":"d","collection":"Thing","query":{}}"#)
        let count = try await call.callDocuments("count", arguments, asSystem: asSystem)
        found.withLock { $0.append(DocumentBench.text(count)) }
      }
      await #expect(throws: DocumentError.self) { try await call.callDocuments("drop", .null) }
      return .null
    }
    let bench = try APIBench(functions: table)
    bench.functions.find(documents: documents.service)
    for n in 1...3 {
      _ = try await documents.service.call(
        "insertOne",
        [
          try ExtendedJSONReader.parse(
            #"{"database":"d","collection":"Thing","document":{"_id":\#(n),"n":\#(n)}}"#)
        ], user: nil)
    }
    await expectEqual(Self.call(bench, try await bench.anonymous(), "f").status, 200)
    expectEqual(found.withLock { $0 }, ["1", "3"])
  }

  // MARK: Webhooks

  /// `WebhookSender` 1
  @Test func aWebhookGetsTheCallAndItsUser() async throws {
    let services = TestServices()
    services.set(Self.url, #"{"$numberInt":"3"}"#)
    let bench = try APIBench(
      transport: services, functionSettings: [FunctionSettings("sum", webhook: Self.hook)])
    let login = try await bench.anonymous()
    try await bench.accounts.setCustomData(
      .document([BSONElement("level", .int32(1))]), of: login.user)
    let answer = await Self.call(bench, login, "sum", #"{"$numberInt":"1"},{"$numberInt":"2"}"#)
    expectEqual(answer.text, #"{"$numberInt":"3"}"#)
    let request = try #require(services.requests.withLock { $0.first })
    let text = String(decoding: request.body, as: UTF8.self)
    let head =
      #"{"app":"todos","event":"function","name":"sum","arguments":[{"$numberInt":"1"},"#
      + #"{"$numberInt":"2"}],"user":{"id":"\#(login.user)","type":"normal","data":{},"#
      + #""custom_data":{"level":{"$numberInt":"1"}},"identities":[{"id":""#
    expectTrue(text.hasPrefix(head), "\(text)")
    #expect(text.hasSuffix(#","provider_type":"anon-user"}]}}"#), "\(text)")
    let now = Int64(APIBench.start / 1_000) + 1_420_070_400
    let digits = HexadecimalText.text(
      PlainCryptography().signature(
        of: Array("\(now).\(text)".utf8), key: Array(Self.secret.utf8)))
    expectTrue(request.headers.contains(HTTPHeader("Realm-Signature", "t=\(now),v1=\(digits)")))
    expectEqual(request.timeout, 30_000)
    expectFalse(request.followsRedirections)
    _ = try await bench.functions.call("sum", [], by: .trigger("t"))
    let other = try #require(services.requests.withLock { $0.last })
    expectEqual(
      String(decoding: other.body, as: UTF8.self),
      #"{"app":"todos","event":"function","name":"sum","arguments":[],"trigger":"t"}"#)
  }

  @Test(arguments: [
    (200, "", "200 "), (200, "{", "400 FunctionExecutionError"),
    (400, #"{"error":"too few"}"#, "400 FunctionExecutionError"),
    (302, "", "400 FunctionExecutionError"),
    (500, #"{"error":"DETAIL"}"#, "400 FunctionExecutionError"),
  ])
  func answersOfAWebhookAreResultsAndErrors(
    _ status: Int, _ body: String, _ expected: String
  ) async throws {
    let services = TestServices()
    services.set(Self.url, status: status, body)
    let bench = try APIBench(
      transport: services, functionSettings: [FunctionSettings("sum", webhook: Self.hook)])
    let answer = await Self.call(bench, try await bench.anonymous(), "sum")
    expectEqual(answer.error, expected)
    expectEqual(answer.text.contains("too few"), (status == 400))
    expectFalse(answer.text.contains("DETAIL"))
    expectFalse(answer.text.contains("example.org"))
  }

  @Test func aWebhookThatDoesNotAnswerIsAnError() async throws {
    let services = TestServices()
    let bench = try APIBench(
      transport: services,
      functionSettings: [
        FunctionSettings("gone", webhook: Self.hook),
        FunctionSettings(
          "slow", webhook: Webhook(url: Self.url + "/slow", secret: Secret(Self.secret)),
          FunctionOptions(timeout: 1)),
      ])
    services.set(Self.url + "/slow") { _ throws(AppFailure) in
      do { try await Task.sleep(for: .seconds(3_600)) } catch { throw .cancelled }
      return HTTPResponse(status: 200)
    }
    let login = try await bench.anonymous()
    await expectEqual(Self.call(bench, login, "gone").error, "400 FunctionExecutionError")
    await expectEqual(Self.call(bench, login, "slow").error, "400 ExecutionTimeLimitExceeded")
  }
}
#endif
