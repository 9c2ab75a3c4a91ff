// SPDX-License-Identifier: Apache-2.0

// Changes of objects on the server's page.

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

@Suite(.timeLimit(.minutes(10))) struct AdminEditTests {
  /// Owners read and write their todos.
  private static let file = """
    {"id":"todos","mode":"production","sync":"flexible","providers":{"anon-user":{}},
     "roles":{"classes":{"Todo":[{"name":"owner","apply_when":{},
       "document_filters":{"read":{"owner":"%%user.id"},"write":{"owner":"%%user.id"}},
       "read":true,"insert":true,"delete":true,"write":true}]}}}
    """

  private static let schema = """
    {"classes":[{"name":"Todo","kind":"topLevel","primaryKey":"_id","properties":[
      {"name":"_id","type":"string"},{"name":"name","type":"string"},
      {"name":"owner","type":"string"},{"name":"count","type":"int"},
      {"name":"status","type":"string","optional":true}]}]}
    """

  private static let path = "/api/apps/todos/objects/"

  /// The objects as the page shows them, by their keys.
  private static func objects(_ admin: TestAdmin) async throws -> [String: JSONValue] {
    let json = try await admin.send("GET", "/api/apps/todos/objects?class=Todo").json
    let documents = (json["objects"]?.array ?? []).compactMap { $0["document"] }
    return Dictionary(documents.map { ($0["_id"]?.string ?? "", $0) }) { $1 }
  }

  private static func todo(_ id: String, owner: String) -> JSONValue {
    [
      "class": "Todo",
      "document": [
        "_id": .string(id), "name": "new", "owner": .string(owner), "count": 3, "status": "open",
      ],
    ]
  }

  @Test func theOperatorMakesChangesAndDeletesObjects() async throws {
    let server = try await RunningServer(file: Self.file, schema: Self.schema, adminEdits: true)
    let admin = TestAdmin(server)
    try await expectEqual(
      admin.send("GET", "/api/overview").json["server"]?["edits"], .bool(true))
    let ann = try await AppDevice(server, "ann").user
    for id in ["a", "b"] {
      let made = try await admin.post(Self.path + "insert", Self.todo(id, owner: ann.id))
      expectEqual(made.status, 200, "\(made.json)")
    }
    // Only what is named changes: another call may have changed the rest.
    let changed = try await admin.post(
      Self.path + "update",
      [
        "class": "Todo", "key": "a", "set": ["name": "changed", "count": ["$numberLong": "7"]],
        "unset": ["status"],
      ])
    expectEqual(changed.status, 200, "\(changed.json)")
    var objects = try await Self.objects(admin)
    expectEqual(objects["a"]?["name"]?.string, "changed")
    expectEqual(objects["a"]?["count"]?["$numberLong"]?.string, "7")
    expectEqual(objects["a"]?["owner"]?.string, ann.id)
    expectTrue((objects["a"]?["status"] ?? .null) == .null, "\(objects)")
    expectEqual(objects["b"]?["name"]?.string, "new")
    try await expectEqual(
      admin.post(Self.path + "delete", ["class": "Todo", "key": "b"]).status, 200)
    objects = try await Self.objects(admin)
    expectEqual(Set(objects.keys), ["a"])
    try await server.stop()
  }

  @Test func asAUserTheRightsOfTheUserCount() async throws {
    let server = try await RunningServer(file: Self.file, schema: Self.schema, adminEdits: true)
    let admin = TestAdmin(server)
    let ann = try await AppDevice(server, "ann").user
    let bob = try await AppDevice(server, "bob").user
    _ = try await admin.post(Self.path + "insert", Self.todo("a", owner: ann.id))
    func change(as user: String) async throws -> Int {
      try await admin.post(
        Self.path + "update",
        ["class": "Todo", "key": "a", "user": .string(user), "set": ["name": .string(user)]]
      ).status
    }
    try await expectEqual(change(as: bob.id), 404)
    try await expectEqual(
      admin.post(
        Self.path + "delete", ["class": "Todo", "key": "a", "user": .string(bob.id)]
      ).status, 404)
    guard case .object(let members) = Self.todo("c", owner: ann.id) else { return }
    let forAnn = JSONValue.object(members + [JSONMember("user", .string(bob.id))])
    try await expectEqual(admin.post(Self.path + "insert", forAnn).status, 403)
    try await expectEqual(Self.objects(admin)["a"]?["name"]?.string, "new")
    try await expectEqual(change(as: ann.id), 200)
    let objects = try await Self.objects(admin)
    expectEqual(objects["a"]?["name"]?.string, ann.id)
    expectEqual(Set(objects.keys), ["a"])
    try await server.stop()
  }

  @Test func withoutTheOptionNothingIsChanged() async throws {
    let server = try await RunningServer(file: Self.file, schema: Self.schema)
    let admin = TestAdmin(server)
    try await expectEqual(
      admin.send("GET", "/api/overview").json["server"]?["edits"], .bool(false))
    for action in ["insert", "update", "delete"] {
      let refused = try await admin.post(Self.path + action, Self.todo("a", owner: "u"))
      expectEqual(refused.status, 403)
      expectTrue(refused.json["error"]?.string?.contains("--admin-edits") == true)
    }
    try await expectTrue(Self.objects(admin).isEmpty)
    try await server.stop()
    #expect(throws: ServerFailure.self) {
      try ServerOptions(directory: "d", listen: "127.0.0.1:0", allowsEdits: true)
    }
  }

  @Test func whatMakesNoSenseIsRefused() async throws {
    let server = try await RunningServer(file: Self.file, schema: Self.schema, adminEdits: true)
    let admin = TestAdmin(server)
    _ = try await admin.post(Self.path + "insert", Self.todo("a", owner: "u"))
    for (action, body, status) in [
      ("explode", ["class": "Todo"], 404), ("insert", [:], 400),
      ("insert", ["class": "Todo"], 400), ("insert", ["class": "Todo", "document": 7], 400),
      ("insert", ["class": "Nothing", "document": ["_id": "a"]], 400),
      ("insert", Self.todo("a", owner: "u"), 400), ("update", ["class": "Todo"], 400),
      ("update", ["class": "Todo", "key": "a"], 400),
      ("update", ["class": "Todo", "key": "a", "set": [:]], 400),
      ("update", ["class": "Todo", "key": "a", "set": ["count": "many"]], 400),
      ("update", ["class": "Todo", "key": "none", "set": ["count": 1]], 404),
      // No key is a condition that others meet.
      ("delete", ["class": "Todo", "key": ["$ne": "none"]], 404),
      ("delete", ["class": "Todo"], 400), ("delete", ["class": "Todo", "key": "none"], 404),
    ] as [(String, JSONValue, Int)] {
      let refused = try await admin.post(Self.path + action, body)
      expectEqual(refused.status, status, "\(action) \(body): \(refused.json)")
    }
    try await expectEqual(
      admin.post("/api/apps/none/objects/delete", ["class": "Todo", "key": "a"]).status, 404)
    try await expectEqual(Self.objects(admin)["a"]?["count"]?["$numberLong"]?.string, "3")
    try await server.stop()
  }
}
#endif
