// SPDX-License-Identifier: Apache-2.0

// Functions, triggers and push messages over real sockets.

#if Server
import Foundation
import Logging
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import RealmText
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct FunctionTests {
  private static let secret = String(repeating: "w", count: 32)

  /// The file of an app with more members.
  private static func file(_ members: String) -> String {
    #"{"id":"todos","mode":"development","sync":"flexible","providers":{"anon-user":{},"#
      + #""api-key":{}},\#(members)}"#
  }

  private static func hook(_ web: TestWebServer, _ path: String) -> String {
    #""webhook":"\#(web.address)\#(path)","secret":"\#(secret)""#
  }

  private static func isSigned(_ request: TestWebServer.Request, by secret: String) -> Bool {
    let parts = request.signature.split(separator: ",")
    guard let time = parts.first?.dropFirst(2), let digits = parts.last?.dropFirst(3) else {
      return false
    }
    let signature = ServerCryptography().signature(
      of: Array("\(time).\(request.body)".utf8), key: Array(secret.utf8))
    return HexadecimalText.bytes(String(digits)) == signature
  }

  private static func wait(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
  ) async throws {
    for _ in 0..<6_000 {
      if try await condition() { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    Issue.record("the condition does not come to hold")
  }

  // MARK: Functions

  @Test func functionsOfTheProgramAreCalled() async throws {
    var table = FunctionTable()
    table["sum"] = { call in
      let numbers = call.arguments.map { (value) -> Int64 in
        if case .int64(let number) = value { number } else { 0 }
      }
      return .document([
        BSONElement("sum", .int64(numbers.reduce(0, +))),
        BSONElement("user", .string(call.user?.id ?? "")),
      ])
    }
    table["fails"] = { _ in throw FunctionError.failed("too few") }
    table.add("hidden", FunctionOptions(isPrivate: true)) { _ in .null }
    let server = try await RunningServer(mode: .flexible, functions: table)
    let device = try await AppDevice(server, "ann")
    let user = device.user
    let result = try await user.functions.sum([1, 2])
    expectEqual(result, ["sum": 3, "user": .string(user.id)])
    let callable: FunctionCallable = user.functions.sum
    try await expectEqual(callable([5]).documentValue?["sum"], .some(5))
    let second: AnyBSON = try await withCheckedThrowingContinuation { continuation in
      user.functions.sum([1], { continuation.resume(with: $0) })
    }
    expectEqual(second.documentValue?["sum"], .some(1))
    do {
      _ = try await user.functions.fails([])
      Issue.record("a function that fails has a result")
    } catch let error as AppError {
      expectEqual(error.code, .functionExecutionError)
      expectTrue(error.localizedDescription.contains("too few"))
    }
    await expectEqual(AppError.code { try await user.functions.nope([]) }, .functionNotFound)
    await expectEqual(AppError.code { try await user.functions.hidden([]) }, .functionNotFound)
    try await server.stop()
  }

  /// The operator sees that the app's own code fails, and clients cannot fill the log with it.
  @Test func codeThatFailsIsAWarning() async throws {
    let web = try await TestWebServer()
    let members = ["missing", "refuses", "slow"].map {
      #"{"name":"\#($0)","timeout":1,\#(Self.hook(web, "/" + $0))}"#
    }
    web.answer("/refuses", TestWebServer.Answer(text: #"{"error":"too few"}"#, status: 422))
    web.answer("/slow", TestWebServer.Answer(text: "", isHeld: true))
    let server = try await RunningServer(
      mode: .flexible, file: Self.file(#""functions":[\#(members.joined(separator: ","))]"#),
      logger: Logger(label: "test") { _ in KeptLog { _ in } })
    let user = try await AppDevice(server, "ann").user
    func warnings() -> [String] {
      server.program.recent.all.filter { $0.level == .warning }.map(\.text)
    }
    _ = try? await user.functions.refuses([])
    expectEqual(warnings().filter { $0.contains("webhook") }, [])
    for _ in 0..<3 { _ = try? await user.functions.missing([]) }
    _ = try? await user.functions.slow([])
    try await Self.wait {
      warnings().contains { $0.hasPrefix("The function slow of the app todos") }
    }
    expectEqual(
      warnings().filter { $0.hasPrefix("A webhook of the app todos failed for function") }.count, 1)
    try await server.stop()
  }

  @Test func webhooksAreFunctions() async throws {
    let web = try await TestWebServer()
    web.answer("/sum", #"{"$numberLong":"3"}"#)
    let members =
      ["sum", "refuses", "broken", "moved", "large", "missing"]
      .map { #"{"name":"\#($0)",\#(Self.hook(web, "/" + $0))}"# }
      + [
        #"{"name":"slow","timeout":1,\#(Self.hook(web, "/slow"))}"#,
        #"{"name":"hidden","private":true,\#(Self.hook(web, "/sum"))}"#,
        #"{"name":"server","can_evaluate":{"%%user.type":"server"},\#(Self.hook(web, "/sum"))}"#,
      ]
    let server = try await RunningServer(
      mode: .flexible, file: Self.file(#""functions":[\#(members.joined(separator: ","))]"#))
    let user = try await AppDevice(server, "ann").user
    try await expectEqual(user.functions.sum([1, 2]), 3)
    let request = try #require(web.requests("/sum").first)
    expectTrue(Self.isSigned(request, by: Self.secret))
    expectTrue(!Self.isSigned(request, by: Self.secret + "x"))
    let json = try JSONParser.parse(request.body)
    expectEqual(json["event"]?.string, "function")
    expectEqual(json["name"]?.string, "sum")
    expectEqual(json["user"]?["id"]?.string, user.id)
    web.answer("/refuses", TestWebServer.Answer(text: #"{"error":"too few"}"#, status: 422))
    do {
      _ = try await user.functions.refuses([])
      Issue.record("a refusal has a result")
    } catch let error as AppError {
      expectTrue(error.localizedDescription.contains("too few"))
    }
    web.answer("/broken", "no JSON")
    web.answer(
      "/moved",
      TestWebServer.Answer(text: "", status: 307, location: web.address + "/sum"))
    web.answer("/large", "\"\(String(repeating: "a", count: 4 << 20))\"")
    web.answer("/slow", TestWebServer.Answer(text: "", isHeld: true))
    let count = web.requests("/sum").count
    await expectEqual(
      AppError.code { try await user.functions.broken([]) }, .functionExecutionError)
    await expectEqual(AppError.code { try await user.functions.moved([]) }, .functionExecutionError)
    await expectEqual(AppError.code { try await user.functions.large([]) }, .functionExecutionError)
    await expectEqual(
      AppError.code { try await user.functions.missing([]) }, .functionExecutionError)
    await expectEqual(
      AppError.code { try await user.functions.slow([]) }, .executionTimeLimitExceeded)
    await expectEqual(AppError.code { try await user.functions.hidden([]) }, .functionNotFound)
    await expectEqual(AppError.code { try await user.functions.server([]) }, .unknown)
    // A redirection is not followed.
    expectEqual(web.requests("/sum").count, count)
    try await server.stop()
    try await web.stop()
  }

  // MARK: Triggers

  @Test @MainActor func whatADeviceWritesSetsOffATrigger() async throws {
    var table = FunctionTable()
    table["greet"] = { call in
      let event = call.arguments[0]
      guard let id = event["documentKey"]?["_id"], event["fullDocument"]?["owner"] == .string("")
      else { return .null }
      let query = BSONValue.document([BSONElement("_id", id)])
      let update = BSONValue.document([
        BSONElement("$set", .document([BSONElement("owner", .string("the trigger"))]))
      ])
      return try await call.callDocuments(
        "updateOne",
        .document([
          BSONElement("database", .string("db")), BSONElement("collection", .string("Todo")),
          BSONElement("query", query), BSONElement("update", update),
        ]))
    }
    let trigger = TriggerSettings("greet", function: "greet", .database(DatabaseTrigger("Todo")))
    let server = try await RunningServer(
      file: Self.file(#""tokens":{}"#), functions: table, triggers: [trigger])
    let device = try await AppDevice(server, "ann")
    var configuration = device.user.flexibleSyncConfiguration(
      clientResetMode: .manual(),
      initialSubscriptions: { $0.append(QuerySubscription<Todo>(name: "all")) })
    configuration.objectTypes = [Todo.self]
    let realm = try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "written", "owner": ""])) }
    try await Self.wait {
      await realm.asyncRefresh()
      return realm.objects(Todo.self).first?.owner == "the trigger"
    }
    let status = try #require(await server.program.apps[0].triggers.statuses().first)
    expectEqual(status.name, "greet")
    expectEqual(status.state, .active)
    try await server.stop()
  }

  @Test func aTriggerCallsAWebhookAlsoForWhatHappenedBefore() async throws {
    let web = try await TestWebServer()
    let members =
      #""functions":[{"name":"hear","private":true,\#(Self.hook(web, "/hear"))}],"triggers":["#
      + #"{"name":"todos","type":"database","collection":"Todo","function":"hear"},"#
      + #"{"name":"users","type":"authentication","operation_type":"login","function":"hear"}]"#
    var server = try await RunningServer(file: Self.file(members))
    let folder = server.directory
    try await Self.wait { [server] in
      await server.program.apps[0].triggers.statuses().count == 2
    }
    let user = try await AppDevice(server, "ann").user
    let todos = { (user: User) in
      user.mongoClient("mongodb-atlas").database(named: "db").collection(withName: "Todo")
    }
    // Nobody hears of it yet.
    _ = try await todos(user).insertOne(["name": "first", "owner": "x"])
    try await Self.wait { !web.requests("/hear").isEmpty }
    try await server.stop()
    web.answer("/hear", "")
    server = try await RunningServer(folder)
    try await Self.wait {
      let bodies = web.requests("/hear").map(\.body)
      return bodies.contains { $0.contains(#""name":"first""#) }
        && bodies.contains { $0.contains("LOGIN") && $0.contains(user.id) }
    }
    #expect(web.requests("/hear").allSatisfy { Self.isSigned($0, by: Self.secret) })
    try await Self.wait { [server] in
      let statuses = await server.program.apps[0].triggers.statuses()
      return statuses.count == 2 && statuses.allSatisfy { $0.delivered > 0 }
    }
    try await server.stop()
    try await web.stop()
  }

  @Test func commandsSuspendAndResumeATrigger() async throws {
    let count = Locked(0)
    var table = FunctionTable()
    table["count"] = { _ in
      count.withLock { $0 += 1 }
      return .null
    }
    let trigger = TriggerSettings("t", function: "count", .database(DatabaseTrigger("Todo")))
    let server = try await RunningServer(
      file: Self.file(#""tokens":{}"#), functions: table, triggers: [trigger])
    let folder = server.directory.path + "/data"
    let user = try await AppDevice(server, "ann").user
    let todos = user.mongoClient("mongodb-atlas").database(named: "db")
      .collection(withName: "Todo")
    try await Self.wait { await !server.program.apps[0].triggers.statuses().isEmpty }
    try await expectEqual(TriggersCommand.list(folder, nil), "t  active")
    try await expectEqual(
      TriggersCommand.ask(folder, "todos", .suspend, of: "t"), "t  suspended")
    _ = try await todos.insertOne(["name": "a", "owner": "x"])
    await server.program.apps[0].triggers.settle()
    expectEqual(count.withLock { $0 }, 0)
    try await expectEqual(TriggersCommand.ask(folder, nil, .position, of: "t"), "t  active")
    try await Self.wait { count.withLock { $0 } == 1 }
    await #expect(throws: ServerFailure.self) {
      try await TriggersCommand.ask(folder, nil, .suspend, of: "other")
    }
    try await server.stop()
    let text = try await TriggersCommand.ask(folder, nil, .suspend, of: "t")
    expectTrue(text.hasPrefix("No server runs"))
    try await expectEqual(TriggersCommand.list(folder, nil), "t  suspend asked for")
  }

  // MARK: Push messages

  /// A webhook that hands the header back is bounded as a closure is; one that does not is the
  /// operator's to bound.
  @Test(arguments: [true, false])
  func webhooksThatSetOffTheirTriggerAreStopped(_ handsBack: Bool) async throws {
    let web = try await TestWebServer()
    web.answer("/copy", "")
    let server = try await RunningServer(
      file: Self.file(
        """
        "functions":[{"name":"copy","private":true,\(Self.hook(web, "/copy"))}],
        "triggers":[{"name":"copies","type":"database","collection":"Todo","function":"copy"}]
        """))
    let folder = server.directory.path + "/data"
    let key = try await KeysCommand.answer(folder, nil, .create("copier"))
    let client = try await DeployedClient(server)
    let token = try await client.logIn("api-key", #""key":"\#(key)","#).accessToken
    func insert(_ headers: [String] = []) async throws {
      let answer = try await client.request(
        "POST", "/app/todos/functions/call", token: token,
        body: #"{"name":"insertOne","service":"mongodb-atlas","arguments":["#
          + #"{"database":"db","collection":"Todo","document":{"name":"copy"}}]}"#,
        headers: headers)
      try #require(answer.status == "HTTP/1.1 200 OK", "\(answer.body)")
    }
    // A header that the server has not made counts for nothing.
    try await insert(["Realm-Chain: 8.1764160000." + String(repeating: "0", count: 64)])
    for number in 1...10 {
      try await Self.wait {
        let list = try await TriggersCommand.list(folder, nil)
        return web.requests("/copy").count == number || list.contains("suspended")
      }
      let calls = web.requests("/copy")
      guard number < 10, calls.count == number, let chain = calls.last?.chain else { break }
      try await insert(handsBack ? ["Realm-Chain: \(chain)"] : [])
    }
    expectEqual(web.requests("/copy").count, (handsBack ? 8 : 10))
    let list = try await TriggersCommand.list(folder, nil)
    expectEqual(list.contains("set each other off"), handsBack)
    await client.leave()
    try await server.stop()
    try await web.stop()
  }

  @Test func devicesGetMessagesOfTheAppsProgram() async throws {
    let web = try await TestWebServer()
    web.answer("/push", "")
    let server = try await RunningServer(
      file: Self.file(#""push":[{"service":"apns",\#(Self.hook(web, "/push"))}]"#),
      functions: .notifying(with: .document([BSONElement("text", .string("hello"))])))
    let device = try await AppDevice(server, "ann")
    let user = device.user
    let push = device.app.pushClient(serviceName: "apns")
    try await expectEqual(user.functions.notify([.string(user.id)]), 0)
    try await push.registerDevice(token: "token of ann", user: user)
    try await expectEqual(user.functions.notify([.string(user.id)]), 1)
    let request = try #require(web.requests("/push").last)
    expectTrue(Self.isSigned(request, by: Self.secret))
    expectEqual(
      request.body,
      #"{"app":"todos","event":"push","service":"apns","payload":{"text":"hello"},"#
        + #""devices":[{"user":"\#(user.id)","token":"token of ann"}]}"#)
    try await push.deregisterDevice(user: user)
    try await expectEqual(user.functions.notify([.string(user.id)]), 0)
    let other = device.app.pushClient(serviceName: "gcm")
    await expectEqual(
      AppError.code { try await other.registerDevice(token: "t", user: user) },
      .unknown)
    try await server.stop()
    try await web.stop()
  }
}
#endif
