// SPDX-License-Identifier: Apache-2.0

// Locations, functions, and paths that do not exist.

#if Server
import Foundation
import RealmFormats
import RealmStorage
import TestExtensions
import Testing

@testable import RealmServerEngine
@testable import RealmServerServices

struct ServerAPITests {
  private static let location = APIBench.app + "/location"
  private static let call = APIBench.app + "/functions/call"

  private static func location(
    _ bench: APIBench, _ headers: [(name: String, value: String)]
  ) async
    -> String
  {
    await bench.api.respond(to: APIRequest("GET", location, headers: headers)).text
  }

  @Test func aLocationIsThePublicAddress() async throws {
    let bench = try APIBench(publicURL: "https://sync.example.org")
    await expectEqual(
      Self.location(bench, [(name: "Host", value: "10.0.0.1")]),
      #"{"deployment_model":"GLOBAL","location":"US-VA","#
        + #""hostname":"https://sync.example.org","ws_hostname":"wss://sync.example.org"}"#)
  }

  @Test func aLocationIsWhatTheClientHasUsed() async throws {
    let bench = try APIBench()
    #expect(
      await Self.location(bench, [(name: "host", value: "127.0.0.1:9090")]).contains(
        #""hostname":"http://127.0.0.1:9090","ws_hostname":"ws://127.0.0.1:9090""#))
    // Who is no proxy does not decide.
    let claimed = [(name: "Host", value: "a.org"), (name: "X-Forwarded-Proto", value: "https")]
    #expect(await Self.location(bench, claimed).contains(#""hostname":"http://a.org""#))
    let secure = await bench.api.respond(
      to: APIRequest(
        "GET", Self.location, headers: [(name: "Host", value: "b.org")],
        origin: RequestOrigin(isSecure: true)))
    #expect(secure.text.contains(#""ws_hostname":"wss://b.org""#))
  }

  @Test(arguments: [
    ("/a", "/a", ""), ("/a?", "/a", ""), ("/a?b=c", "/a", "b=c"), ("/a?b=c?d&e", "/a", "b=c?d&e"),
    ("?b", "", "b"), ("", "", ""),
  ])
  func aTargetHasAPathAndAQuery(_ target: String, _ path: String, _ query: String) {
    let request = APIRequest("GET", target: target)
    expectEqual(request.path, path)
    expectEqual(request.query, query)
  }

  @Test func aRequestHasANumberAndALink() async throws {
    let bench = try APIBench(publicURL: "https://sync.example.org")
    let id = "0123456789abcdef01234567"
    for (path, link) in [
      (APIBench.app + "/nothing", "/apps/todos/logs"), ("/api/client/v2.0/auth/profile", "/logs"),
      ("/api/client/v2.0/app/%3Cb%3E/location", "/logs"),
    ] {
      var request = APIRequest("GET", path)
      request.id = id
      let error = try JSONParser.parse(await bench.api.respond(to: request).body)
      expectEqual(error["link"]?.string, "https://sync.example.org\(link)?co_id=\(id)")
      // The page behind it says who has the log.
      let page = await bench.api.respond(to: APIRequest("GET", link, query: "co_id=\(id)"))
      expectEqual(page.status, 200)
      expectEqual(page.contentType, "text/plain; charset=utf-8")
      #expect(page.text.contains("the request \(id)"))
    }
    for query in ["", "co_id=", "co_id=<b>", "co_id=0123456789ABCDEF01234567"] {
      let page = await bench.api.respond(to: APIRequest("GET", "/logs", query: query))
      expectEqual(page.status, 404, "\(query)")
    }
  }

  @Test func onlyCallsOfUsersHaveLargeBodies() async throws {
    let bench = try APIBench()
    let login = try await bench.anonymous()
    func byteCountMax(_ path: String, _ token: String?) -> Int {
      let headers = token.map { [(name: "Authorization", value: "Bearer " + $0)] } ?? []
      return bench.api.bodyByteCountMax(APIRequest("POST", path, headers: headers))
    }
    expectEqual(byteCountMax(Self.call, login.access), 4 << 20)
    for token in [nil, "a.b.c", login.refresh] {
      expectEqual(byteCountMax(Self.call, token), 64 << 10)
    }
    let path = APIBench.app + "/auth/providers/local-userpass/login"
    expectEqual(byteCountMax(path, login.access), 64 << 10)
  }

  @Test func aFullDiskIsNamedAndNothingElseOfTheStore() {
    func message(_ code: Int32) -> String {
      APIError(.store(.storage(.system(operation: "Growing", path: "/secret", code: code)))).message
    }
    expectEqual(message(ENOSPC), "the server's disk is full")
    expectEqual(message(EIO), "the server failed")
  }

  @Test func textsOfErrorsHaveALimit() async throws {
    let bench = try APIBench()
    let app = String(repeating: "é", count: 5_000)
    let answer = await bench.send("GET", "/api/client/v2.0/app/\(app)/location")
    let text = try #require(try JSONParser.parse(answer.body)["error"]?.string)
    expectEqual(answer.status, 404)
    expectTrue(text.hasSuffix("éé"))
    expectTrue((1_000...1_024).contains(text.utf8.count))
  }

  @Test func unknownPathsAreErrors() async throws {
    let bench = try APIBench()
    await expectEqual(bench.send("GET", "/").error, "404 BadRequest")
    await expectEqual(bench.send("GET", "/api/client/v2.0/app/other/location").status, 404)
    await expectEqual(bench.send("POST", Self.location).status, 404)
    await expectEqual(bench.send("GET", APIBench.app).status, 404)
    await expectEqual(bench.send("GET", "/api/client/v2.0/app").status, 404)
    let offer = await bench.send("GET", APIBench.app + "/realm-sync")
    expectEqual(offer.error, "400 BadRequest")
  }

  @Test func functionsAreCalledWithTheirUser() async throws {
    var functions = FunctionTable()
    functions["sum"] = { call in
      guard case .int32(let a)? = call.arguments.first, case .int32(let b)? = call.arguments.last
      else { return .null }
      return .document([
        BSONElement("sum", .int32(a + b)), BSONElement("user", .string(call.user?.id ?? "")),
      ])
    }
    functions["fails"] = { _ in throw CancellationError() }
    functions["looksLikeAnError"] = { _ in .document([BSONElement("error", .string("none"))]) }
    let bench = try APIBench(functions: functions)
    let login = try await bench.anonymous()
    let sum = await bench.send(
      "POST", Self.call,
      #"{"arguments":[{"$numberInt":"1"},{"$numberInt":"2"}],"name":"sum"}"#, token: login.access)
    expectEqual(sum.text, #"{"sum":{"$numberInt":"3"},"user":"\#(login.user)"}"#)
    expectEqual(sum.contentType, "application/json")
    let error = await bench.send(
      "POST", Self.call, #"{"arguments":[],"name":"looksLikeAnError"}"#, token: login.access)
    expectEqual(error.status, 200)
    expectEqual(error.contentType, "application/json; charset=utf-8")
    let fails = await bench.send(
      "POST", Self.call, #"{"arguments":[],"name":"fails"}"#, token: login.access)
    expectEqual(fails.error, "400 FunctionExecutionError")
    let unknown = await bench.send(
      "POST", Self.call, #"{"arguments":[],"name":"nope"}"#, token: login.access)
    expectEqual(unknown.error, "404 FunctionNotFound")
    #expect(unknown.text.contains(#""error":"function not found: 'nope'""#))
    let service = await bench.send(
      "POST", Self.call, #"{"arguments":[],"name":"find","service":"mongodb-atlas"}"#,
      token: login.access)
    #expect(service.text.contains(#""error":"service not found: 'mongodb-atlas'""#))
    let nobody = await bench.send("POST", Self.call, #"{"arguments":[],"name":"sum"}"#)
    expectEqual(nobody.error, "401 InvalidSession")
    let arguments = await bench.send(
      "POST", Self.call, #"{"arguments":3,"name":"sum"}"#, token: login.access)
    expectEqual(arguments.error, "400 InvalidParameter")
  }
}
#endif
