// SPDX-License-Identifier: Apache-2.0

// The objects of an app on the server's page.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct AdminDataTests {
  /// Owners read and write their todos; others read the names of open ones.
  private static let file = """
    {"id":"todos","mode":"production","sync":"flexible","providers":{"anon-user":{}},
     "roles":{"classes":{"Todo":[{"name":"owner","apply_when":{},
       "document_filters":{"read":{"owner":"%%user.id"},"write":{"owner":"%%user.id"}},
       "read":true,"insert":true,"delete":true,"write":true,
       "fields":{"status":{"read":false,"write":false}}}]}}}
    """

  private static let schema = """
    {"classes":[{"name":"Todo","kind":"topLevel","primaryKey":"_id","properties":[
      {"name":"_id","type":"string"},{"name":"name","type":"string"},
      {"name":"owner","type":"string"},{"name":"status","type":"string"}]}]}
    """

  private static func path(_ filter: String = "", user: String = "", from: Int = 0) -> String {
    let text = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return "/api/apps/todos/objects?class=Todo&filter=\(text)&user=\(user)&from=\(from)"
  }

  /// Makes objects as the program of the server does, which has every right.
  private static func insert(
    _ names: [String], of user: User, in server: RunningServer
  ) async throws {
    let documents = try #require(server.program.apps[0].api.documents)
    for name in names {
      let todo = BSONValue.document([
        BSONElement("_id", .string(UUID().uuidString)), BSONElement("name", .string(name)),
        BSONElement("owner", .string(user.id)), BSONElement("status", .string("open")),
      ])
      _ = try await documents.call(
        "insertOne",
        [
          .document([
            BSONElement("database", .string("app")), BSONElement("collection", .string("Todo")),
            BSONElement("document", todo),
          ])
        ], user: nil)
    }
  }

  private static func names(_ json: JSONValue) -> Set<String> {
    Set((json["objects"]?.array ?? []).compactMap { $0["document"]?["name"]?.string })
  }

  @Test func theOperatorSeesObjectsAndWhatAUserSeesOfThem() async throws {
    let server = try await RunningServer(file: Self.file, schema: Self.schema)
    let admin = TestAdmin(server)
    let ann = try await AppDevice(server, "ann").user
    let bob = try await AppDevice(server, "bob").user
    try await Self.insert(["hers <b>", "also hers"], of: ann, in: server)
    try await Self.insert(["his"], of: bob, in: server)
    let classes = try await admin.send("GET", "/api/apps/todos/classes").json
    expectEqual(classes.array?.map { $0["name"]?.string }, ["Todo"])
    expectEqual(classes.array?.first?["properties"]?.array?.count, 4)
    // As the operator: all of them, whole.
    let all = try await admin.send("GET", Self.path()).json
    expectEqual(Self.names(all), ["hers <b>", "also hers", "his"])
    expectEqual(all["rules"], .null)
    expectEqual(all["more"], .bool(false))
    for row in all["objects"]?.array ?? [] {
      expectEqual(row["seen"], .null)
      expectEqual(row["document"]?["status"]?.string, "open")
    }
    try await expectEqual(
      Self.names(admin.send("GET", Self.path(#"{"name":{"$regex":"hers"}}"#)).json),
      ["hers <b>", "also hers"])
    // As a user: which of them, without which properties, and why.
    let view = try await admin.send("GET", Self.path(user: bob.id)).json
    let rows = try #require(view["objects"]?.array)
    expectEqual(rows.count, 3)
    for row in rows {
      let isHis = row["document"]?["owner"]?.string == bob.id
      expectEqual(row["seen"], .bool(isHis), "\(row)")
      expectEqual(row["hidden"], .array(isHis ? ["status"] : []), "\(row)")
    }
    expectTrue(view["rules"]?.string?.hasPrefix(#""owner" applies"#) == true, "\(view)")
    try await server.stop()
  }

  @Test func objectsComeInParts() async throws {
    let server = try await RunningServer(
      file: """
        {"id":"todos","mode":"development","sync":"flexible","providers":{"anon-user":{}}}
        """, schema: Self.schema)
    let admin = TestAdmin(server)
    let ann = try await AppDevice(server, "ann").user
    let names = (0..<AdminData.objectCountMax + 7).map { "\($0)" }
    try await Self.insert(names, of: ann, in: server)
    let first = try await admin.send("GET", Self.path(user: ann.id)).json
    let second = try await admin.send(
      "GET", Self.path(user: ann.id, from: AdminData.objectCountMax)
    ).json
    expectEqual(first["objects"]?.array?.count, AdminData.objectCountMax)
    expectEqual([first["more"], second["more"]], [.bool(true), .bool(false)])
    expectEqual(second["objects"]?.array?.count, 7)
    expectEqual(Self.names(first).union(Self.names(second)), Set(names))
    // An app without rules has none that decide.
    expectTrue(first["objects"]?.array?.allSatisfy { $0["seen"] == .bool(true) } == true)
    expectEqual(
      first["rules"]?.string,
      "The app is in development mode: every user reads and writes everything.")
    try await server.stop()
  }

  @Test func whatMakesNoSenseIsRefused() async throws {
    let server = try await RunningServer(file: Self.file, schema: Self.schema)
    let admin = TestAdmin(server)
    for (target, status) in [
      ("/api/apps/todos/objects", 400), ("/api/apps/todos/objects?class=Nothing", 400),
      (Self.path("{"), 400), (Self.path("7"), 400), (Self.path(#"{"name":{"$nope":1}}"#), 400),
      (Self.path(user: "nobody"), 404), (Self.path(from: -1), 400),
      (Self.path(String(repeating: " ", count: 5_000)), 400), (Self.path(from: 1_000), 200),
      ("/api/apps/none/objects?class=Todo", 404), (Self.path(), 200),
    ] {
      try await expectEqual(admin.send("GET", target).status, status, "\(target.prefix(80))")
    }
    try await server.stop()
  }
}
#endif
