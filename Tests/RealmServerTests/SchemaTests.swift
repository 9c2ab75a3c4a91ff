// SPDX-License-Identifier: Apache-2.0

// The schema of an app over real connections: it grows in development mode, stays in production
// mode, and is printed as code.

#if Server
import Foundation
import Logging
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

/// The class `Todo` of a program of another version.
final class NewerTodo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: String
  @Persisted var priority: Int

  override class func _realmObjectName() -> String? { "Todo" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A class `Todo` that no other version can share a realm with.
final class OtherTodo: Object {
  @Persisted(primaryKey: true) var _id: ObjectId
  @Persisted var name: Int

  override class func _realmObjectName() -> String? { "Todo" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite(.timeLimit(.minutes(10))) struct SchemaTests {
  private static func production(_ directory: TemporaryDirectory) async throws -> RunningServer {
    try await RunningServer(
      directory,
      file: """
        {"id": "todos", "mode": "production", "sync": "partition",
          "providers": {"anon-user": {}}, "permissions": {"write": true}}
        """)
  }

  @MainActor private static func open(
    _ device: AppDevice, _ types: [ObjectBase.Type], partition: String = "home"
  ) async throws -> Realm {
    try await Realm(
      configuration: device.configuration(partition, types), actor: MainActor.shared)
  }

  /// Waits until the session of a realm has ended.
  @MainActor private static func waitForEnd(of realm: Realm) async throws {
    for _ in 0..<3_000 where realm.syncSession?.state == .active {
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(realm.syncSession?.state, .inactive)
  }

  private static func path(_ directory: TemporaryDirectory) -> String {
    directory.path + "/data/apps/todos/schema.json"
  }

  /// The schema after two devices with different classes have been there.
  @MainActor private static func grow(_ server: RunningServer) async throws {
    let (old, new) = (try await AppDevice(server, "old"), try await AppDevice(server, "new"))
    let first = try await open(old, [Todo.self])
    let second = try await open(new, [NewerTodo.self])
    let id = ObjectId.generate()
    try await first.asyncWrite { first.add(Todo(value: ["_id": id, "owner": "ann"])) }
    try await second.asyncWrite { second.add(NewerTodo(value: ["_id": id, "priority": 3])) }
    for realm in [first, second] { try await realm.syncSession?.wait(for: .upload) }
    for realm in [first, second] { try await realm.syncSession?.wait(for: .download) }
    // What one program does not know stays for the other.
    for realm in [first, second] {
      await realm.asyncRefresh()
      let todo = try #require(realm.dynamicObjects("Todo").first)
      expectEqual(todo["name"] as? String, "")
    }
    for device in [old, new] { #expect(device.errors.withLock { $0.isEmpty }) }
  }

  @Test @MainActor func aDevelopmentAppMergesTheAdditionsOfTwoDevices() async throws {
    let server = try await RunningServer(schema: nil)
    #expect(throws: ServerFailure.self) {
      try SchemaCommand.answer(server.directory.path + "/data", nil)
    }
    try await Self.grow(server)
    // While the server runs.
    let code = try SchemaCommand.answer(server.directory.path + "/data", "todos")
    #expect(code.hasPrefix("import Foundation\nimport RealmSwift\n\nfinal class Todo: Object {\n"))
    for line in [
      "@Persisted(primaryKey: true) var _id: ObjectId", "@Persisted var name: String",
      "@Persisted var owner: String", "@Persisted var status: String",
      "@Persisted var priority: Int",
    ] { #expect(code.contains("  \(line)\n"), "\(line) in \(code)") }
    // Another partition has the same classes: a contradiction is refused there, too.
    let stranger = try await AppDevice(server, "stranger")
    let realm = try await Self.open(stranger, [OtherTodo.self], partition: "other")
    let error = try await stranger.error()
    expectEqual(error.code, .clientSessionError)
    expectTrue(error.message.contains("Another definition of"))
    try await Self.waitForEnd(of: realm)
    try await server.stop()
  }

  /// Whoever is first: the classes of the app come with the first download, and those of the device
  /// are uploaded at once.
  @Test(arguments: [SyncMode.flexible, .partition], ["development", "production"]) @MainActor
  func aContradictionIsTheErrorOfTheSchema(_ mode: SyncMode, _ appMode: String) async throws {
    let rights =
      mode == .flexible
      ? #""roles": {"default": [{"name": "all", "apply_when": {}, "read": true, "write": true}]}"#
      : #""permissions": {"write": true}"#
    let server = try await RunningServer(
      mode: mode,
      file: """
        {"id": "todos", "mode": "\(appMode)", "providers": {"anon-user": {}},
         "sync": "\(mode == .flexible ? "flexible" : "partition")"
         \(appMode == "production" ? "," + rights : "")}
        """)
    for partition in mode == .flexible ? ["home"] : ["home", "work"] {
      for number in 1...2 {
        let stranger = try await AppDevice(server, "stranger-\(partition)-\(number)")
        var configuration = stranger.configuration(partition, [OtherTodo.self])
        if mode == .flexible {
          configuration = stranger.user.flexibleSyncConfiguration(
            clientResetMode: .manual(),
            initialSubscriptions: { $0.append(QuerySubscription<OtherTodo>(name: "all")) })
          configuration.objectTypes = [OtherTodo.self]
        }
        let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
        let error = try await stranger.error()
        expectEqual(error.code, .clientSessionError, "\(error)")
        expectTrue(error.message.hasPrefix("Invalid schema change (UPLOAD): "), "\(error)")
        expectTrue(error.message.contains("Another definition of"), "\(error)")
        try await Self.waitForEnd(of: realm)
      }
      // Others go on.
      let device = try await AppDevice(server, "device-\(partition)")
      if mode == .partition {
        let realm = try await Self.open(device, [Todo.self], partition: partition)
        try await realm.asyncWrite { realm.add(Todo(value: ["name": "a"])) }
        try await realm.syncSession?.wait(for: .upload)
      }
      #expect(device.errors.withLock { $0.isEmpty })
    }
    try await server.stop()
  }

  /// `ServerProgram+Schema` 1
  @Test @MainActor func aProductionAppKeepsTheSchemaThatItGrew() async throws {
    let development = try await RunningServer(schema: nil)
    let directory = development.directory
    try await Self.grow(development)
    try await development.stop()
    let text = try String(contentsOfFile: Self.path(directory), encoding: .utf8)
    // A folder of an older server has no such file: its realms have the classes.
    for hasFile in [true, false] {
      if !hasFile { try FileManager.default.removeItem(atPath: Self.path(directory)) }
      let server = try await Self.production(directory)
      // Both versions go on, also in a partition that is new.
      for (name, types) in [
        ("a", [Todo.self]), ("b", [NewerTodo.self]),
      ] as [(String, [Object.Type])] {
        let device = try await AppDevice(server, "\(name)-\(hasFile)")
        let realm = try await Self.open(device, types, partition: "new-\(hasFile)")
        try await realm.asyncWrite {
          realm.create(types[0], value: ["_id": ObjectId.generate()])
        }
        try await realm.syncSession?.wait(for: .upload)
        #expect(device.errors.withLock { $0.isEmpty })
      }
      // A program with more than that gets an error, and changes nothing for the others.
      let device = try await AppDevice(server, "c-\(hasFile)")
      let realm = try await Self.open(device, [Todo.self, Extra.self])
      let error = try await device.error()
      expectEqual(error.code, .clientSessionError)
      expectTrue(error.message.contains("The app's schema has no Extra"), "\(error)")
      try await Self.waitForEnd(of: realm)
      try await server.stop()
      try expectEqual(
        String(contentsOfFile: Self.path(directory), encoding: .utf8).count, text.count)
    }
    // A file that lacks them is the schema in production, and gets them in development mode.
    for mode in ["production", "development"] {
      try Data(#"{"classes":[]}"#.utf8).write(to: URL(fileURLWithPath: Self.path(directory)))
      let rules = mode == "production" ? #","permissions":{"write":true}"# : ""
      let file =
        #"{"id":"todos","mode":"\#(mode)","sync":"partition","#
        + #""providers":{"anon-user":{}}\#(rules)}"#
      try await RunningServer(directory, file: file).stop()
      let found = try String(contentsOfFile: Self.path(directory), encoding: .utf8)
      expectEqual(found.contains("priority"), mode == "development", "\(found)")
    }
  }

  @Test func aSchemaWithAMistakeIsNamedAtTheStart() async throws {
    let server = try await RunningServer(schema: nil)
    try await server.stop()
    try Data("{\"classes\":[{\"name\":\"A\",\"sort\":1}]}".utf8)
      .write(to: URL(fileURLWithPath: Self.path(server.directory)))
    let error = await #expect(throws: ServerFailure.self) {
      _ = try await RunningServer(server.directory)
    }
    expectEqual(error?.description.contains("schema.json has the unknown key \"sort\""), true)
    expectEqual(
      error?.description.contains("(line 1, column 25)"), true, "\(String(describing: error))")
  }

  @Test func aProductionAppWithoutClassesSaysSo() async throws {
    let directory = try TemporaryDirectory()
    let options = try RunningServer.options(in: directory, mode: .partition)
    let folder = URL(fileURLWithPath: directory.path + "/data/apps/todos/app.json")
    try Data(PermissionTests.rules.utf8).write(to: folder)
    let log = Locked<[String]>([])
    let logger = Logging.Logger(label: "test") { _ in
      KeptLog { text in log.withLock { $0.append(text) } }
    }
    _ = try ServerProgram(options, metrics: PrometheusMetrics(), logger: logger)
    let lines = log.withLock { $0 }
    expectTrue(lines.count == 1 && lines[0].contains("schema.json has no classes"), "\(lines)")
  }
}

/// A class of one program alone.
final class Extra: Object {
  @Persisted(primaryKey: true) var _id: ObjectId

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
#endif
