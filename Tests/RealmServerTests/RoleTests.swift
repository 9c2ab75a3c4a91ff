// SPDX-License-Identifier: Apache-2.0

// Roles of flexible sync over real sockets, and the commands about them. The file of the app is
// that of `Documentation/Sync/Rules.md`.

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

/// What a device tells, and nobody reads.
final class Visit: AsymmetricObject {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var place: String

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite(.timeLimit(.minutes(10))) struct RoleTests {
  /// Users read public todos and write their own; editors may do everything, and they alone make
  /// todos public.
  static let rules = #"""
    {
      "id": "todos", "mode": "production", "sync": "flexible",
      "providers": { "anon-user": {} },
      "roles": {
        "classes": {
          "Todo": [
            { "name": "editor", "apply_when": { "%%user.custom_data.editor": true },
              "read": true, "write": true, "insert": true, "delete": true },
            { "name": "owner", "apply_when": {},
              "document_filters": {
                "read": { "status": "public" },
                "write": { "owner": "%%user.id" }
              },
              "read": true, "write": true, "insert": true, "delete": true,
              "fields": { "status": { "write": false } } }
          ]
        }
      }
    }
    """#

  /// The realm of a device with all todos that its user may read.
  @MainActor private static func open(_ device: AppDevice) async throws -> Realm {
    var configuration = device.user.flexibleSyncConfiguration(
      clientResetMode: .manual(),
      initialSubscriptions: { subscriptions in
        subscriptions.append(QuerySubscription<Todo>(name: "all"))
      })
    configuration.objectTypes = [Todo.self]
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

  private static func setEditor(
    _ isEditor: Bool, _ device: AppDevice, of server: RunningServer
  ) async throws {
    try await server.accounts.setCustomData(
      .document([BSONElement("editor", .bool(isEditor))]), of: device.user.id)
  }

  @MainActor private static func add(
    _ name: String, owner: String = "", status: String = "", to realm: Realm
  ) async throws {
    try await realm.asyncWrite {
      realm.add(Todo(value: ["name": name, "owner": owner, "status": status]))
    }
  }

  @Test @MainActor func rolesDecideWhatIsSeenAndWhichWritesSurvive() async throws {
    let server = try await RunningServer(file: Self.rules)
    let editor = try await AppDevice(server, "editor")
    let ann = try await AppDevice(server, "ann")
    let bob = try await AppDevice(server, "bob")
    try await Self.setEditor(true, editor, of: server)
    let all = try await Self.open(editor)
    try await Self.add("for all", status: "public", to: all)
    try await Self.add("hidden", to: all)
    try await all.syncSession?.wait(for: .upload)
    let mine = try await Self.open(ann)
    let theirs = try await Self.open(bob)
    expectEqual(mine.objects(Todo.self).map(\.name), ["for all"])
    try await Self.add("ann's", owner: ann.user.id, to: mine)
    try await mine.syncSession?.wait(for: .upload)
    try await Self.wait(for: ["for all", "hidden", "ann's"], in: all)
    // One transaction with changes that are allowed, and others that are not.
    let own = try #require(mine.objects(Todo.self).first { $0.name == "ann's" })
    let other = try #require(mine.objects(Todo.self).first { $0.name == "for all" })
    let (refused, new) = (other._id, ObjectId.generate())
    try await mine.asyncWrite {
      own.name = "renamed"
      other.name = "changed"
      mine.add(
        Todo(value: ["_id": new, "name": "public", "owner": ann.user.id, "status": "public"]))
    }
    let error = try await ann.error()
    expectEqual(error.code, .writeRejected, "\(error)")
    let info = try #require(error.compensatingWriteInfo)
    expectEqual(Set(info.map(\.primaryKey)), [.objectId(refused), .objectId(new)])
    #expect(info.allSatisfy { $0.objectType == "Todo" && $0.reason.hasSuffix("not allowed") })
    try await Self.wait(for: ["for all", "renamed"], in: mine)
    try await Self.wait(for: ["for all", "hidden", "renamed"], in: all)
    try await Self.wait(for: ["for all"], in: theirs)
    #expect(bob.errors.withLock { $0.isEmpty })
    #expect(editor.errors.withLock { $0.isEmpty })
    expectEqual(mine.syncSession?.state, .active)
    try await server.stop()
  }

  /// As the former service did it: the writes are reported, and the session rests until its program
  /// resumes it.
  @Test @MainActor func refusedObjectsOfAsymmetricClassesEndTheSession() async throws {
    let server = try await RunningServer(
      file: Self.rules,
      schema: RunningServer.todoSchema.replacing(
        "{\"classes\":[",
        with: """
          {"classes":[{"name":"Visit","kind":"asymmetric","primaryKey":"_id","properties":[
            {"name":"_id","type":"objectId"},{"name":"place","type":"string"}]},
          """))
    let ann = try await AppDevice(server, "ann")
    var configuration = ann.user.flexibleSyncConfiguration(
      clientResetMode: .manual(),
      initialSubscriptions: { $0.append(QuerySubscription<Todo>(name: "all")) })
    configuration.objectTypes = [Todo.self, Visit.self]
    let realm = try await Realm(
      configuration: configuration, actor: MainActor.shared, downloadBeforeOpen: .always)
    let id = ObjectId.generate()
    try await realm.asyncWrite {
      realm.create(Visit.self, value: ["_id": id, "place": "here"])
      realm.add(Todo(value: ["name": "mine", "owner": ann.user.id]))
    }
    let error = try await ann.error()
    expectEqual(error.code, .writeRejected, "\(error)")
    expectEqual(error.compensatingWriteInfo?.map(\.primaryKey), [.objectId(id)])
    expectEqual(
      error.compensatingWriteInfo?.map(\.reason),
      ["write to \"\(id.stringValue)\" in table \"Visit\" not allowed"])
    let session = try #require(realm.syncSession)
    for _ in 0..<3_000 where session.state == .active {
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(session.state, .inactive)
    // What was allowed stays, and what is written later arrives once the program goes on.
    try await Self.add("later", owner: ann.user.id, to: realm)
    session.resume()
    try await session.wait(for: .upload)
    try await session.wait(for: .download)
    try await Self.wait(for: ["mine", "later"], in: realm)
    expectEqual(session.state, .active)
    expectEqual(ann.errors.withLock { $0.count }, 1)
    try await server.stop()
  }

  @Test @MainActor func anotherRoleChangesWhatADeviceHasWithoutAReset() async throws {
    let first = try await RunningServer(file: Self.rules)
    let editor = try await AppDevice(first, "editor")
    let bob = try await AppDevice(first, "bob")
    try await Self.setEditor(true, editor, of: first)
    let all = try await Self.open(editor)
    try await Self.add("for all", status: "public", to: all)
    try await Self.add("hidden", to: all)
    try await all.syncSession?.wait(for: .upload)
    let theirs = try await Self.open(bob)
    try await Self.wait(for: ["for all"], in: theirs)
    // While the device is connected.
    try await Self.setEditor(true, bob, of: first)
    let folder = first.directory.path + "/data"
    #expect(try await ApplyCommand.answer(folder).contains("; 1 session begins again"))
    try await Self.wait(for: ["for all", "hidden"], in: theirs)
    try await Self.add("bob's", to: theirs)
    try await Self.wait(for: ["for all", "hidden", "bob's"], in: all)
    // While the server does not run; what the device writes meanwhile is taken back.
    try await Self.setEditor(false, bob, of: first)
    let port = try #require(URLComponents(string: first.address)?.port)
    try await first.stop()
    try await Self.add("offline", to: theirs)
    let second = try await RunningServer(first.directory, port: port)
    let error = try await bob.error()
    expectEqual(error.code, .writeRejected, "\(error)")
    expectEqual(error.compensatingWriteInfo?.count, 1)
    try await Self.wait(for: ["for all"], in: theirs)
    expectEqual(bob.errors.withLock { $0.count }, 1)
    #expect(editor.errors.withLock { $0.isEmpty })
    try await Self.wait(for: ["for all", "hidden", "bob's"], in: all)
    try await second.stop()
  }

  /// The role of the page under "Hidden properties", about another property.
  static let hidingRole = #"""
    { "name": "colleague", "apply_when": {}, "read": true, "write": true,
      "fields": { "salary": { "read": false, "write": false } } }
    """#

  private static func hidingFile(_ condition: String = "false") -> String {
    let role = hidingRole.replacingOccurrences(of: "salary", with: "status")
    return #"""
      { "id": "todos", "mode": "production", "sync": "flexible",
        "providers": { "anon-user": {} },
        "roles": { "default": [
          { "name": "editor", "apply_when": { "%or": [
              { "%%user.custom_data.editor": true }, \#(condition)] },
            "read": true, "write": true, "insert": true, "delete": true },
          \#(role) ] } }
      """#
  }

  /// While the device is connected, without a reset.
  @Test @MainActor func hiddenPropertiesFollowTheRole() async throws {
    let server = try await RunningServer(file: Self.hidingFile())
    let editor = try await AppDevice(server, "editor")
    let ann = try await AppDevice(server, "ann")
    try await Self.setEditor(true, editor, of: server)
    let all = try await Self.open(editor)
    try await Self.add("a", owner: "o", status: "secret", to: all)
    try await all.syncSession?.wait(for: .upload)
    let mine = try await Self.open(ann)
    let todo = try #require(mine.objects(Todo.self).first)
    expectEqual(todo.name, "a")
    expectEqual(todo.owner, "o")
    expectEqual(todo.status, "")
    // What others write there does not arrive, and what the user writes there is taken back.
    let other = try #require(all.objects(Todo.self).first)
    try await all.asyncWrite { (other.status, other.name) = ("other", "b") }
    try await Self.wait(for: ["b"], in: mine)
    expectEqual(todo.status, "")
    try await mine.asyncWrite { todo.status = "mine" }
    let error = try await ann.error()
    expectEqual(error.code, .writeRejected, "\(error)")
    ann.errors.withLock { $0 = [] }
    func waitForStatus(_ status: String) async throws {
      for _ in 0..<6_000 {
        await mine.asyncRefresh()
        if mine.objects(Todo.self).first?.status == status { return }
        try await Task.sleep(for: .milliseconds(20))
      }
      expectEqual(mine.objects(Todo.self).first?.status, status)
    }
    try await waitForStatus("")
    expectEqual(other.status, "other")
    // The file of the app changes, and then what is known of the user.
    let path = server.directory.path + "/data/apps/todos/app.json"
    let file = Self.hidingFile(#"{ "%%user.id": "\#(ann.user.id)" }"#)
    try Data(file.utf8).write(to: URL(fileURLWithPath: path))
    #expect(
      try await ApplyCommand.answer(server.directory.path + "/data").contains("; 1 session begins"))
    try await waitForStatus("other")
    try Data(Self.hidingFile().utf8).write(to: URL(fileURLWithPath: path))
    _ = try await ApplyCommand.answer(server.directory.path + "/data")
    try await waitForStatus("")
    expectEqual(mine.objects(Todo.self).map(\.name), ["b"])
    for device in [ann, editor] { #expect(device.errors.withLock { $0.isEmpty }) }
    try await server.stop()
  }

  // MARK: Commands

  private static func file(_ text: String, in directory: TemporaryDirectory) throws -> String {
    let path = directory.file("app.json")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func checkReadsRoles() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.file(Self.rules, in: directory)
    try expectEqual(
      RulesCheckCommand.answer(path),
      "\(path) is correct. The app todos has production mode: users have what its roles "
        + "grant, and nothing else.")
    let wrong = Self.rules.replacingOccurrences(of: "\"document_filters\"", with: "\"filters\"")
    _ = try Self.file(wrong, in: directory)
    let error = try #require(throws: ServerFailure.self) { try RulesCheckCommand.answer(path) }
    expectTrue(error.description.contains("unknown key \"filters\" in a role"), "\(error)")
    expectTrue(error.description.contains("(line 10, column 11)"), "\(error)")
    #expect(
      try RulesCheckCommand.answer(
        Self.file(#"{"id":"a","mode":"production","roles":{"default":[]}}"#, in: directory)
      ).contains("production mode without roles: no user reads anything"))
  }

  @Test func thePageShowsTheFileAndWhatTheCommandSays() throws {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    let page = try String(
      contentsOf: root.appendingPathComponent("Documentation/Sync/Rules.md"), encoding: .utf8)
    expectTrue(page.contains("```json\n\(Self.rules)\n```"))
    let directory = try TemporaryDirectory()
    let answer = try RulesExplainCommand.answer(
      Self.file(Self.rules, in: directory), "6617f0", nil, nil, className: "Todo")
    let command = "$ realm-server rules explain flexible/app.json --user 6617f0 --class Todo"
    expectTrue(page.contains("\(command)\n\(answer)\n"))
    expectTrue(page.contains("```json\n\(Self.hidingRole)\n```"))
    let hidden = try RulesExplainCommand.answer(
      Self.file(Self.hidingFile(), in: directory), "6617f0", nil, nil, className: "Todo")
    expectTrue(hidden.contains("\nreads: all objects, all properties but status\n"), "\(hidden)")
  }

  /// A filter that does not fit its class holds for no object: who wrote it should know.
  @Test func checkNamesWhatDoesNotFitTheSchema() throws {
    let directory = try TemporaryDirectory()
    let schema = directory.file("schema.json")
    try Data(RunningServer.todoSchema.utf8).write(to: URL(fileURLWithPath: schema))
    #expect(
      try !RulesCheckCommand.answer(Self.file(Self.rules, in: directory)).contains("\n"))
    let text = #"""
      {"id": "a", "mode": "production", "roles": {
        "default": [{"name": "r", "apply_when": {}, "read": true, "document_filters":
          {"read": {"%or": [{"ownr": 1}, {"name": {"$in": ["x"]}}]}, "write": {"tags": "x"}},
          "fields": {"state": {"write": true}}}],
        "classes": {"Tood": []}}}
      """#
    let path = try Self.file(text, in: directory)
    let lines = try RulesCheckCommand.answer(path).split(separator: "\n").dropFirst()
    let expected: [String.SubSequence] = [
      "The roles of Tood are of no class of the schema.",
      #"The role "r" of Todo has a filter with ownr, which the class does not have: this holds "#
        + "for no object.",
      #"The role "r" of Todo has a filter with tags, which the class does not have: this holds "#
        + "for no object.",
      #"The role "r" of Todo has a rule for state, which the class does not have."#,
    ]
    expectEqual(Array(lines), expected)
    try Data("{".utf8).write(to: URL(fileURLWithPath: schema))
    let error = try #require(throws: ServerFailure.self) { try RulesCheckCommand.answer(path) }
    expectTrue(error.description.contains("schema.json is not JSON"), "\(error)")
  }

  @Test func explainSaysWhichRoleApplies() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.file(Self.rules, in: directory)
    func answer(
      _ user: String, _ name: String?, _ data: String? = nil, partition: String? = nil
    ) throws -> String {
      try RulesExplainCommand.answer(
        path, user, nil, data, partition: partition, className: name)
    }
    try expectEqual(
      answer("u1", "Todo"),
      """
      "owner" applies, the first of the roles of Todo whose "apply_when" holds; not "editor"
      reads: status == "public" or owner == "u1"
      changes: owner == "u1", all properties but status
      inserts: owner == "u1"
      deletes: owner == "u1"
      """)
    try expectEqual(
      answer("u1", "Todo", #"{"editor":true}"#),
      """
      "editor" applies, the first of the roles of Todo whose "apply_when" holds
      reads: all objects
      changes: all objects, all properties
      inserts: all objects
      deletes: all objects
      """)
    try expectEqual(answer("u1", "Note"), "nothing: of the default roles, there are none")
    for (name, partition) in [(nil, nil), ("Todo", "\"x\""), (nil, "\"x\"")] as [(String?, String?)]
    {
      let error = try #require(throws: ServerFailure.self) {
        try answer("u1", name, partition: partition)
      }
      expectTrue(error.description.contains("--class"), "\(error)")
    }
    _ = try Self.file(
      #"{"id":"a","mode":"production","roles":{"default":["#
        + #"{"name":"r","apply_when":{"%%user.id":"u2"},"read":true}]}}"#, in: directory)
    try expectEqual(answer("u1", "Todo"), #"nothing: of the default roles, none applies ("r")"#)
    #expect(try answer("u2", "Todo").contains("changes: no objects"))
  }
}
#endif
