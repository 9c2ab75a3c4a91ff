// SPDX-License-Identifier: Apache-2.0

// Rules over real sockets, the modes of apps, and the commands about rules. The file of the app is
// that of `Documentation/Sync/Rules.md`.

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
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct PermissionTests {
  /// Users write to the partition of their id; all users read the one with the name "public".
  static let rules = #"""
    {
      "id": "todos", "mode": "production", "sync": "partition",
      "providers": { "anon-user": {} },
      "permissions": {
        "read": { "%%partition": "public" },
        "write": { "%or": [
          { "%%partition": "%%user.id" },
          { "%%partition": "public", "%%user.custom_data.editor": true }
        ] }
      }
    }
    """#

  @Test @MainActor func readersReadWritersWriteAndOthersDoNeither() async throws {
    let server = try await RunningServer(file: Self.rules)
    let ann = try await AppDevice(server, "ann")
    let bob = try await AppDevice(server, "bob")
    try await server.accounts.setCustomData(
      .document([BSONElement("editor", .bool(true))]), of: ann.user.id)
    // The editor writes what all read.
    let written = try await Realm(
      configuration: ann.configuration("public"), actor: MainActor.shared)
    try await written.asyncWrite { written.add(Todo(value: ["name": "for all"])) }
    try await written.syncSession?.wait(for: .upload)
    let read = try await Realm(
      configuration: bob.configuration("public"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    expectEqual(read.objects(Todo.self).map(\.name), ["for all"])
    #expect(bob.errors.withLock { $0.isEmpty })
    // A reader's writes are taken back, are reported by object, and reach no other device.
    let own = try #require(read.objects(Todo.self).first)
    let (id, new) = (own._id, ObjectId.generate())
    try await read.asyncWrite {
      own.name = "changed"
      read.add(Todo(value: ["_id": new, "name": "new"]))
    }
    let refusal = try await bob.error()
    expectEqual(refusal.code, .writeRejected, "\(refusal)")
    let info = try #require(refusal.compensatingWriteInfo)
    expectEqual(info.map(\.objectType), ["Todo", "Todo"])
    expectEqual(Set(info.map(\.primaryKey)), [.objectId(id), .objectId(new)])
    #expect(info.allSatisfy { $0.reason.hasPrefix("write to ObjectID(") })
    await read.asyncRefresh()
    expectEqual(read.objects(Todo.self).map(\.name), ["for all"])
    // The session goes on.
    try await written.asyncWrite { written.add(Todo(value: ["name": "later"])) }
    try await written.syncSession?.wait(for: .upload)
    try await read.syncSession?.wait(for: .download)
    await read.asyncRefresh()
    expectEqual(Set(read.objects(Todo.self).map(\.name)), ["for all", "later"])
    let fresh = try await AppDevice(server, "fresh")
    let other = try await Realm(
      configuration: fresh.configuration("public"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    expectEqual(Set(other.objects(Todo.self).map(\.name)), ["for all", "later"])
    // Each user has a partition alone.
    let secret = try await Realm(
      configuration: ann.configuration(ann.user.id), actor: MainActor.shared)
    try await secret.asyncWrite { secret.add(Todo(value: ["name": "secret"])) }
    try await secret.syncSession?.wait(for: .upload)
    #expect(ann.errors.withLock { $0.isEmpty })
    let curious = try await Realm(
      configuration: fresh.configuration(ann.user.id), actor: MainActor.shared)
    let denial = try await fresh.error()
    expectEqual(denial.code, .permissionDeniedError, "\(denial)")
    expectTrue(denial.message.contains("may not read the partition"), "\(denial)")
    expectTrue(curious.objects(Todo.self).isEmpty)
    try await server.stop()
  }

  // MARK: Modes

  private static func options(
    _ directory: TemporaryDirectory, _ listen: String = "127.0.0.1:0", publicURL: String? = nil,
    isDevelopment: Bool = false
  ) throws -> ServerOptions {
    try ServerOptions(
      directory: directory.path + "/data", listen: listen, publicURL: publicURL, appID: "todos",
      isDevelopment: isDevelopment)
  }

  /// `ServerOptions+Stage` 1: makes a program, and returns what it logs.
  private static func start(
    _ options: ServerOptions, file: String? = nil
  ) throws -> [String] {
    if let file {
      let folder = options.directory + "/apps/todos"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(file.utf8).write(to: URL(fileURLWithPath: folder + "/app.json"))
    }
    let log = Locked<[String]>([])
    let logger = Logging.Logger(label: "test") { _ in
      KeptLog { text in log.withLock { $0.append(text) } }
    }
    _ = try ServerProgram(options, metrics: PrometheusMetrics(), logger: logger)
    return log.withLock { $0 }
  }

  @Test func withoutAModeThisMachineAloneIsServed() throws {
    let directory = try TemporaryDirectory()
    let notice =
      "warning: The app todos is in development mode: every user reads and writes everything, and "
      + "devices add classes and properties"
    // At each start.
    for _ in 0..<2 { try expectEqual(Self.start(Self.options(directory)), [notice]) }
    for (listen, url) in [
      ("0.0.0.0:9090", nil), ("127.0.0.1:9090", "https://sync.example.org"),
      ("[::]:9090", "http://127.0.0.1:9090"),
    ] {
      let error = try #require(throws: ServerFailure.self) {
        try Self.start(Self.options(directory, listen, publicURL: url))
      }
      let text = error.description
      expectTrue(text.contains("/apps/todos/app.json names no \"mode\""), "\(text)")
      expectTrue(text.contains("--development"), "\(text)")
      expectTrue(text.contains("\"production\""), "\(text)")
      // An operator may ask for it, and the log says how far it reaches.
      let log = try Self.start(Self.options(directory, listen, publicURL: url, isDevelopment: true))
      #expect(log.count == 1 && log[0].hasPrefix(notice + ", also from other machines"), "\(log)")
    }
    let log = try Self.start(
      Self.options(directory, "0.0.0.0:9090"), file: #"{"id":"todos","mode":"development"}"#)
    expectTrue(log.count == 1 && log[0].hasPrefix(notice), "\(log)")
  }

  @Test func productionIsServedEverywhereAndSaysWhenItGrantsNothing() throws {
    let directory = try TemporaryDirectory()
    let schema = directory.path + "/data/apps/todos/schema.json"
    _ = try Self.start(Self.options(directory), file: #"{"id":"todos"}"#)
    try Data(RunningServer.todoSchema.utf8).write(to: URL(fileURLWithPath: schema))
    try expectEqual(Self.start(Self.options(directory, "0.0.0.0:9090"), file: Self.rules), [])
    let log = try Self.start(
      Self.options(directory, "0.0.0.0:9090", isDevelopment: true),
      file: #"{"id":"todos","mode":"production","sync":"partition"}"#)
    expectEqual(
      log,
      [
        "warning: The app todos is in production mode without permissions: no user reads anything"
      ])
  }

  @Test(arguments: [
    ("127.0.0.1", true), ("127.1.2.3", true), ("localhost", true), ("::1", true),
    ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("127.example.org", false),
    ("127.0.0.1.example.org", false), ("localhost.example.org", false), ("", false),
  ])
  func loopbackAddressesAreKnown(_ host: String, _ expected: Bool) {
    expectEqual(ServerOptions.isLoopback(host), expected)
  }

  @Test(arguments: [
    ("http://127.0.0.1:9090", true), ("http://[::1]:9090/a", true), ("https://localhost", true),
    ("https://[fe80::1]", false), ("https://127.0.0.1.example.org:1", false),
  ])
  func publicAddressesAreExposed(_ url: String, isLocal: Bool) throws {
    let options = try ServerOptions(directory: "d", listen: "127.0.0.1:1", publicURL: url)
    expectEqual((options.exposedAddress == nil), isLocal)
  }

  // MARK: Commands

  private static func file(_ text: String, in directory: TemporaryDirectory) throws -> String {
    let path = directory.file("app.json")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test func checkNamesTheMistakeWithLineAndColumn() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.file(Self.rules, in: directory)
    try expectEqual(
      RulesCheckCommand.answer(path),
      "\(path) is correct. The app todos has production mode: users have what its permissions "
        + "grant, and nothing else.")
    let wrong = Self.rules.replacingOccurrences(of: "%%user.id", with: "%%user.name")
    _ = try Self.file(wrong, in: directory)
    let error = try #require(throws: ServerFailure.self) { try RulesCheckCommand.answer(path) }
    expectTrue(error.description.contains("unknown expansion \"%%user.name\""), "\(error)")
    expectTrue(error.description.contains("(line 7, column 9)"), "\(error)")
    #expect(throws: ServerFailure.self) { try RulesCheckCommand.answer(path + "x") }
    for (text, expected) in [
      (#"{"id":"a"}"#, "has no mode"), (#"{"id":"a","mode":"development"}"#, "has development"),
      (#"{"id":"a","mode":"production","sync":"partition"}"#, "without permissions"),
    ] {
      #expect(
        try RulesCheckCommand.answer(Self.file(text, in: directory)).contains(expected))
    }
  }

  @Test func explainSaysWhichRuleHolds() throws {
    let directory = try TemporaryDirectory()
    let path = try Self.file(Self.rules, in: directory)
    func answer(
      _ user: String, _ partition: String, _ data: String? = nil
    ) throws -> String {
      try RulesExplainCommand.answer(path, user, nil, data, partition: partition)
    }
    try expectEqual(answer("u1", "\"u1\""), "reads and writes: the rule \"write\" holds")
    #expect(try answer("u1", "\"u2\"").hasPrefix("nothing: neither"))
    #expect(try answer("u1", "\"public\"").hasPrefix("reads: "))
    #expect(try answer("u1", "\"public\"", #"{"editor":true}"#).hasPrefix("reads and writes"))
    #expect(throws: ServerFailure.self) { try answer("u1", "public") }
    #expect(throws: ServerFailure.self) { try answer("u1", "\"public\"", "{") }
    _ = try Self.file(#"{"id":"a"}"#, in: directory)
    #expect(try answer("u1", "\"x\"").contains("every user reads and writes everything"))
  }
}
#endif
