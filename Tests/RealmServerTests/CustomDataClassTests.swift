// SPDX-License-Identifier: Apache-2.0

// Custom data of users in a class of the app's own data. The files are those of
// `Documentation/Sync/Rules.md`.

#if Server
import Foundation
import RealmFormats
import RealmStorage
import RealmSwift
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

final class Profile: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var user: String
  @Persisted var editor: Bool
  @Persisted var teams: List<String>
}

@Suite(.timeLimit(.minutes(10))) struct CustomDataClassTests {
  private static let schema = """
    {"classes":[
      {"name":"Profile","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"objectId"},
        {"name":"user","type":"string"},
        {"name":"editor","type":"bool"},
        {"name":"teams","type":"string","collection":"list"}
      ]},
      {"name":"Todo","kind":"topLevel","primaryKey":"_id","properties":[
        {"name":"_id","type":"objectId"},
        {"name":"name","type":"string"},
        {"name":"owner","type":"string"},
        {"name":"status","type":"string"}
      ]}
    ]}

    """

  /// One user makes profiles; all others read their own, and editors write todos.
  static let rules = #"""
    {
      "id": "todos", "mode": "production", "sync": "flexible",
      "providers": { "anon-user": {} },
      "custom_user_data": { "class": "Profile", "user_id_field": "user" },
      "values": { "admin": "6617f0" },
      "roles": {
        "classes": {
          "Profile": [
            { "name": "admin", "apply_when": { "%%user.id": "%%values.admin" },
              "read": true, "write": true, "insert": true, "delete": true },
            { "name": "user", "apply_when": {}, "read": true,
              "document_filters": { "read": { "user": "%%user.id" } } }
          ],
          "Todo": [
            { "name": "editor",
              "apply_when": { "%or": [
                { "%%user.custom_data.editor": true }, { "%%user.id": "%%values.admin" } ] },
              "read": true, "write": true, "insert": true, "delete": true },
            { "name": "team", "apply_when": {}, "read": true,
              "document_filters": {
                "read": { "status": { "$in": "%%user.custom_data.teams" } } } }
          ]
        }
      }
    }
    """#

  private static func folder(_ server: RunningServer) -> String { server.directory.path + "/data" }

  /// Makes a user the one who makes profiles.
  private static func setAdmin(_ device: AppDevice, of server: RunningServer) async throws {
    let path = folder(server) + "/apps/todos/app.json"
    let text = rules.replacingOccurrences(of: "6617f0", with: device.user.id)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    _ = try await ApplyCommand.answer(folder(server))
  }

  @MainActor private static func open(_ device: AppDevice) async throws -> Realm {
    var configuration = device.user.flexibleSyncConfiguration(
      clientResetMode: .manual(),
      initialSubscriptions: { subscriptions in
        subscriptions.append(QuerySubscription<Todo>(name: "todos"))
        subscriptions.append(QuerySubscription<Profile>(name: "profiles"))
      })
    configuration.objectTypes = [Todo.self, Profile.self]
    return try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
  }

  /// Waits until a device has the todos of these names.
  @MainActor private static func wait(for names: Set<String>, in realm: Realm) async throws {
    for _ in 0..<6_000 {
      await realm.asyncRefresh()
      if Set(realm.objects(Todo.self).map(\.name)) == names { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(Set(realm.objects(Todo.self).map(\.name)), names)
  }

  /// A change of the object changes the rights of its user while the device is connected, and of no
  /// other; a user writes no profile.
  @Test @MainActor func theObjectOfAUserDecides() async throws {
    let server = try await RunningServer(file: Self.rules, schema: Self.schema)
    let root = try await AppDevice(server, "root")
    let ann = try await AppDevice(server, "ann")
    try await Self.setAdmin(root, of: server)
    let all = try await Self.open(root)
    let mine = try await Self.open(ann)
    try await all.asyncWrite {
      all.add(Todo(value: ["name": "red", "status": "red"]))
      all.add(Todo(value: ["name": "blue", "status": "blue"]))
    }
    try await all.syncSession?.wait(for: .upload)
    expectTrue(mine.objects(Todo.self).isEmpty)
    // A user does not become an editor by a profile of its own making.
    try await mine.asyncWrite {
      mine.add(Profile(value: ["user": ann.user.id, "editor": true]))
    }
    try await expectEqual(ann.error().code, .writeRejected)
    ann.errors.withLock { $0 = [] }
    let anns = Profile(value: ["user": ann.user.id, "teams": ["red"]])
    try await all.asyncWrite { all.add(anns) }
    try await Self.wait(for: ["red"], in: mine)
    try await all.asyncWrite { anns.teams.append("blue") }
    try await Self.wait(for: ["red", "blue"], in: mine)
    try await expectEqual(ann.user.refreshCustomData()["editor"], .bool(false))
    expectEqual(ann.user.customData["teams"]??.arrayValue?.count, 2)
    // Two objects of one user count as none.
    let other = Profile(value: ["user": ann.user.id, "editor": true])
    try await all.asyncWrite { all.add(other) }
    try await Self.wait(for: [], in: mine)
    #expect(try await ann.user.refreshCustomData().isEmpty)
    try await all.asyncWrite { all.delete(anns) }
    try await Self.wait(for: ["red", "blue"], in: mine)
    try await mine.asyncWrite { mine.add(Todo(value: ["name": "ann's"])) }
    try await Self.wait(for: ["red", "blue", "ann's"], in: all)
    for device in [root, ann] { #expect(device.errors.withLock { $0.isEmpty }) }
    try await server.stop()
  }

  @Test @MainActor func aPartitionHasTheClass() async throws {
    let server = try await RunningServer(
      file: #"""
        {"id": "todos", "mode": "production", "sync": "partition", "providers": {"anon-user": {}},
          "custom_user_data": {"class": "Profile", "user_id_field": "user", "partition": "users"},
          "permissions": {"read": true, "write": {"%or": [
            {"%%partition": "users"}, {"%%user.custom_data.editor": true}]}}}
        """#, schema: Self.schema)
    let ann = try await AppDevice(server, "ann")
    let mine = try await Realm(
      configuration: ann.configuration("home"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    try await mine.asyncWrite { mine.add(Todo(value: ["name": "refused"])) }
    try await expectEqual(ann.error().code, .writeRejected)
    ann.errors.withLock { $0 = [] }
    let users = try await Realm(
      configuration: ann.configuration("users", [Profile.self]), actor: MainActor.shared)
    try await users.asyncWrite {
      users.add(Profile(value: ["user": ann.user.id, "editor": true]))
    }
    try await users.syncSession?.wait(for: .upload)
    for _ in 0..<240 where try await ann.user.refreshCustomData()["editor"] != .bool(true) {
      try await Task.sleep(for: .milliseconds(250))
    }
    // The session of the reader has ended, and begins again as a writer's.
    let other = try await AppDevice(server, "other")
    let theirs = try await Realm(
      configuration: other.configuration("home"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    var count = 0
    while theirs.objects(Todo.self).isEmpty, count < 240 {
      count += 1
      try await mine.asyncWrite { mine.add(Todo(value: ["name": "allowed \(count)"])) }
      try await Task.sleep(for: .milliseconds(250))
      await theirs.asyncRefresh()
    }
    expectFalse(theirs.objects(Todo.self).isEmpty)
    try await server.stop()
  }

  @Test func theCommandSaysWhereTheDataIs() async throws {
    let server = try await RunningServer(file: Self.rules, schema: Self.schema)
    let error = await #expect(throws: ServerFailure.self) {
      try await CustomDataCommand.answer(
        Self.folder(server), nil, user: "u", email: nil, .set(.document([])))
    }
    expectEqual(
      error?.description,
      "The custom data of a user of the app todos is the object of the class Profile with the "
        + "user's id in user. Change it there.")
    try await server.stop()
  }

  @Test func thePageShowsTheFileAndCheckNamesWhatDoesNotFit() throws {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let page = try String(
      contentsOf: root.appendingPathComponent("Documentation/Sync/Rules.md"), encoding: .utf8)
    expectTrue(page.contains("```json\n\(Self.rules)\n```"))
    let directory = try TemporaryDirectory()
    func check(_ rules: String) throws -> [String] {
      let path = directory.file("app.json")
      try Data(rules.utf8).write(to: URL(fileURLWithPath: path))
      return try RulesCheckCommand.answer(path).split(separator: "\n").map { String($0) }
    }
    try Data(Self.schema.utf8).write(to: URL(fileURLWithPath: directory.file("schema.json")))
    try expectEqual(check(Self.rules).count, 1)
    for (field, expected) in [
      ("users", "which the class does not have."), ("teams", "which is no text and no object id."),
    ] {
      let text = Self.rules.replacingOccurrences(
        of: #""user_id_field": "user""#, with: #""user_id_field": "\#(field)""#)
      let lines = try check(text)
      expectEqual(
        lines.dropFirst(), ["The custom data of users is found by Profile.\(field), \(expected)"])
    }
    let text = Self.rules.replacingOccurrences(
      of: #""class": "Profile""#, with: #""class": "Person""#)
    try expectEqual(
      check(text).dropFirst(),
      ["The custom data of users is of Person, which is no class of the schema."])
  }
}
#endif
