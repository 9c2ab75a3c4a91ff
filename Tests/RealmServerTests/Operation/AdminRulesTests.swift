// SPDX-License-Identifier: Apache-2.0

// The rules of an app on the server's page.

#if Server
import Foundation
import RealmFormats
import RealmServerServices
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct AdminRulesTests {
  private static let file = """
    {"id":"todos","mode":"production","sync":"flexible","providers":{"anon-user":{}},
     "values":{"team":"blue"},
     "roles":{"classes":{"Todo":[{"name":"owner","apply_when":{},
       "document_filters":{"read":{"owner":"%%user.id"},"write":{"owner":"%%user.id"}},
       "read":true,"insert":true,"delete":true,"write":true}]}}}
    """

  /// Rules with which all users read everything, and none writes.
  private static let readers = """
    {"roles": {"default": [
      {"name": "reader", "apply_when": {}, "read": true, "write": false}
    ]}}
    """

  private static func check(
    _ text: String, _ admin: TestAdmin, className: String = "", user: String = ""
  ) async throws -> JSONValue {
    let answer = try await admin.post(
      "/api/apps/todos/rules/check",
      ["text": .string(text), "class": .string(className), "user": .string(user)])
    expectEqual(answer.status, 200)
    return answer.json
  }

  @Test func theRulesOfTheFileAreReadAndCorrect() async throws {
    let server = try await RunningServer(file: Self.file)
    let admin = TestAdmin(server)
    let rules = try await admin.send("GET", "/api/apps/todos/rules").json
    expectEqual(rules["stage"]?.string, "production")
    expectEqual(rules["file"]?.string, "apps/todos/app.json")
    let text = try #require(rules["text"]?.string)
    expectTrue(text.contains("\n    \"classes\": {\n"), "\(text)")
    // Nothing but rules: the ways to log in have secrets.
    let json = try JSONParser.parse(text)
    expectEqual(json["providers"], nil)
    expectEqual(json["values"]?["team"]?.string, "blue")
    let found = try await Self.check(text, admin)
    expectEqual(found["correct"], .bool(true), "\(found)")
    expectEqual(found["misfits"], .array([]))
    expectEqual(found["explanation"], .null)
    try await server.stop()
  }

  @Test func otherRulesAreExplainedAndNotApplied() async throws {
    let server = try await RunningServer(file: Self.file)
    let admin = TestAdmin(server)
    let ann = try await AppDevice(server, "ann").user
    let found = try await Self.check(Self.readers, admin, className: "Todo", user: ann.id)
    let explanation = try #require(found["explanation"]?.string)
    expectTrue(explanation.hasPrefix("\"reader\" applies"), "\(explanation)")
    expectTrue(explanation.contains("changes: no objects"), "\(explanation)")
    // The file and the sessions are as they were.
    let view = try await admin.send(
      "GET", "/api/apps/todos/objects?class=Todo&user=\(ann.id)"
    ).json
    expectTrue(view["rules"]?.string?.hasPrefix("\"owner\" applies") == true, "\(view)")
    // A role of no class is correct, and said.
    let misfit = try await Self.check(
      Self.readers.replacingOccurrences(of: "\"default\": [", with: "\"classes\": {\"Tood\": [")
        .replacingOccurrences(of: "]}}", with: "]}}}"), admin)
    expectEqual(
      misfit["misfits"], .array(["The roles of Tood are of no class of the schema."]), "\(misfit)")
    try await server.stop()
  }

  @Test func mistakesHaveTheirPositionsInTheText() async throws {
    let server = try await RunningServer(file: Self.file)
    let admin = TestAdmin(server)
    for (text, part, line, column) in [
      ("{", "is not JSON", 1, 2), ("7", "needs the rules as an object", nil, nil),
      ("{\n \"role\": {}}", "unknown key \"role\"", 2, 2),
      ("{\"roles\": {\n  \"defaults\": []}}", "unknown key \"defaults\"", 2, 3),
      ("{\"permissions\": {\"read\": true}}", "which are of partitions", 1, 2),
      (
        "{\"roles\":{\"default\":[{\"name\":\"a\",\"apply_when\":{\"%%values.team\":\"blue\"}}]}}",
        "the file has no \"values\"", 1, 46
      ),
    ] as [(String, String, Int64?, Int64?)] {
      let found = try await Self.check(text, admin)
      expectEqual(found["correct"], .bool(false), "\(text)")
      expectTrue(found["error"]?.string?.contains(part) == true, "\(text): \(found)")
      expectEqual(found["line"]?.integer, line, "\(text): \(found)")
      if line != 1 || part == "is not JSON" {
        expectEqual(found["column"]?.integer, column, "\(text): \(found)")
      }
    }
    try await server.stop()
  }

  @Test func whatMakesNoSenseIsRefused() async throws {
    let server = try await RunningServer(file: Self.file)
    let admin = TestAdmin(server)
    for (target, body, status) in [
      ("/api/apps/todos/rules/check", [:], 400), ("/api/apps/todos/rules/apply", [:], 404),
      ("/api/apps/none/rules/check", ["text": "{}"], 404),
      ("/api/apps/todos/rules/check", ["text": .string(Self.readers), "user": "u"], 400),
      (
        "/api/apps/todos/rules/check",
        ["text": .string(Self.readers), "user": "nobody", "class": "Todo"], 404
      ),
      (
        "/api/apps/todos/rules/check",
        ["text": .string(String(repeating: " ", count: 1 << 18))], 413
      ),
    ] as [(String, JSONValue, Int)] {
      try await expectEqual(admin.post(target, body).status, status, "\(target) \(status)")
    }
    try await server.stop()
  }

  @Test func textsForPeopleAreTheSameJSON() throws {
    let value: JSONValue = [
      "short": ["a": 1, "b": [1, 2]], "empty": [:], "none": [],
      "long": .array((0..<30).map { .string("element \($0)") }),
      "quoted \"name\"": ["inner": .object([JSONMember("x", .string("y\n"))])],
    ]
    let text = IndentedJSON.text(value)
    try expectEqual(JSONParser.parse(text), value)
    expectTrue(text.contains("\n  \"short\": {\"a\":1,\"b\":[1,2]},\n"), "\(text)")
    expectTrue(text.contains("\n    \"element 3\",\n"), "\(text)")
    expectEqual(IndentedJSON.text([:]), "{}")
  }
}
#endif
