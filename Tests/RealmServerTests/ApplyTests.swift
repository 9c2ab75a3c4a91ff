// SPDX-License-Identifier: Apache-2.0

// The files of an app, applied while devices are connected (P4 C.4).

#if Server
import Foundation
import Logging
import RealmFormats
import RealmNetworking
import RealmServerEngine
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmSyncTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit
@testable import RealmServerServices

@Suite(.timeLimit(.minutes(10))) struct ApplyTests {
  private static func file(
    read: String = "false", write: String = "false", mode: String = "production",
    more: String = ""
  ) -> String {
    let permissions =
      mode == "production" ? #""permissions": {"read": \#(read), "write": \#(write)},"# : ""
    return """
      {"id": "todos", "mode": "\(mode)", "sync": "partition", \(permissions)
        "providers": {"anon-user": {}}\(more)}
      """
  }

  private static func folder(_ server: RunningServer) -> String { server.directory.path + "/data" }

  /// Replaces the file of the app, and asks the server to apply it as an operator does.
  private static func apply(_ text: String, to server: RunningServer) async throws -> String {
    try write(text, to: server)
    return try await ApplyCommand.answer(folder(server))
  }

  private static func write(_ text: String, to server: RunningServer) throws {
    try Data(text.utf8)
      .write(to: URL(fileURLWithPath: folder(server) + "/apps/todos/app.json"))
  }

  @MainActor private static func open(_ device: AppDevice) async throws -> Realm {
    try await Realm(configuration: device.configuration("home"), actor: MainActor.shared)
  }

  /// Waits until a device has the todos of these names.
  @MainActor private static func wait(for names: Set<String>, in realm: Realm) async throws {
    for _ in 0..<3_000 {
      await realm.asyncRefresh()
      if Set(realm.objects(Todo.self).map(\.name)) == names { return }
      try await Task.sleep(for: .milliseconds(20))
    }
    expectEqual(Set(realm.objects(Todo.self).map(\.name)), names)
  }

  /// A mistake in the files of one app is no reason to leave the others as they were.
  @Test func aMistakeHoldsUpNoOtherApp() async throws {
    let server = try await RunningServer(file: Self.file())
    let folder = Self.folder(server) + "/apps/second"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true)
    try Data(#"{"id":"second","mode":"development","sync":"flexible"}"#.utf8)
      .write(to: URL(fileURLWithPath: folder + "/app.json"))
    try Data(#"{"classes":7}"#.utf8).write(to: URL(fileURLWithPath: folder + "/schema.json"))
    let failure = await #expect(throws: ServerFailure.self) {
      try await Self.apply(Self.file(read: "true"), to: server)
    }
    let text = failure.map { "\($0)" } ?? ""
    #expect(text.contains("The files of the app todos are applied"))
    #expect(text.contains("second/schema.json"))
    #expect(text.contains("The app second is not served."))
    try await server.stop()
    // Without a server the command names the mistakes of all.
    try Self.write("{", to: server)
    let mistakes = await #expect(throws: ServerFailure.self) {
      try await ApplyCommand.answer(Self.folder(server))
    }
    let all = mistakes.map { "\($0)" } ?? ""
    #expect(all.contains("todos/app.json"))
    #expect(all.contains("second/schema.json"))
  }

  @Test @MainActor func aReaderBecomesAWriterAndTheOthersGoOn() async throws {
    let server = try await RunningServer(file: Self.file(read: "true"))
    let ann = try await AppDevice(server, "ann")
    let bob = try await AppDevice(server, "bob")
    let (mine, theirs) = (try await Self.open(ann), try await Self.open(bob))
    try await mine.asyncWrite { mine.add(Todo(value: ["name": "refused"])) }
    try await expectEqual(ann.error().code, .writeRejected)
    try await Self.wait(for: [], in: mine)
    ann.errors.withLock { $0 = [] }
    try await theirs.syncSession?.wait(for: .download)
    let text = try await Self.apply(
      Self.file(read: "true", write: #"{"%%user.id": "\#(ann.user.id)"}"#), to: server)
    expectEqual(
      text, "The files of the app todos are applied; 1 session begins again with other rights")
    try await mine.asyncWrite { mine.add(Todo(value: ["name": "allowed"])) }
    try await mine.syncSession?.wait(for: .upload)
    try await Self.wait(for: ["allowed"], in: theirs)
    // Without a reset, and without a word to the programs.
    for device in [ann, bob] { #expect(device.errors.withLock { $0.isEmpty }) }
    expectEqual(mine.syncSession?.state, .active)
    // The same file again ends nothing.
    #expect(try await ApplyCommand.answer(Self.folder(server)).contains("; 0 sessions"))
    try await server.stop()
  }

  @Test @MainActor func aReaderLosesThePartition() async throws {
    let server = try await RunningServer(file: Self.file(write: "true"))
    let ann = try await AppDevice(server, "ann")
    let bob = try await AppDevice(server, "bob")
    let (mine, theirs) = (try await Self.open(ann), try await Self.open(bob))
    try await mine.asyncWrite { mine.add(Todo(value: ["name": "first"])) }
    try await mine.syncSession?.wait(for: .upload)
    try await Self.wait(for: ["first"], in: theirs)
    let text = try await Self.apply(
      Self.file(write: #"{"%%user.id": "\#(ann.user.id)"}"#), to: server)
    expectTrue(text.contains("; 1 session begins"))
    let error = try await bob.error()
    expectEqual(error.code, .permissionDeniedError, "\(error)")
    try await mine.asyncWrite { mine.add(Todo(value: ["name": "second"])) }
    try await mine.syncSession?.wait(for: .upload)
    try await Self.wait(for: ["first"], in: theirs)
    #expect(ann.errors.withLock { $0.isEmpty })
    try await server.stop()
  }

  /// `AppFiles` 1
  @Test @MainActor func aFileWithAMistakeChangesNothing() async throws {
    let log = Locked<[String]>([])
    let server = try await RunningServer(
      file: Self.file(write: "true"),
      logger: Logging.Logger(label: "test") { _ in
        KeptLog { text in log.withLock { $0.append(text) } }
      })
    let ann = try await AppDevice(server, "ann")
    let mine = try await Self.open(ann)
    let mistakes: [(text: String, expected: String)] = [
      (
        Self.file(read: #"{"%%user.name": "x"}"#),
        "unknown expansion \"%%user.name\""
      ),
      (
        Self.file(mode: "development")
          .replacingOccurrences(of: "\"partition\"", with: "\"flexible\""),
        "another \"sync\" than at the start"
      ),
      (Self.file().replacingOccurrences(of: "todos", with: "others"), "has the id \"others\""),
      ("{", "is not JSON"),
    ]
    for (text, expected) in mistakes {
      log.withLock { $0 = [] }
      let error = await #expect(throws: ServerFailure.self) {
        try await Self.apply(text, to: server)
      }
      expectEqual(error?.description.contains(expected), true, "\(String(describing: error))")
      // The command says so itself; so does the server that finds it.
      let outcome = try #require(await server.program.files.apply().first)
      expectFalse(outcome.isApplied, "\(outcome)")
      expectTrue(outcome.text.contains(expected), "\(outcome)")
      expectTrue(outcome.text.hasSuffix("Nothing of the app todos is changed."))
      expectEqual(log.withLock { $0.last }, "error: \(outcome.text)")
    }
    let outcome = try await Self.located(server)
    expectTrue(outcome.contains("(line 1, column 85)"), "\(outcome)")
    // A mistake in the schema keeps the rules out, too.
    try Self.write(Self.file(), to: server)
    let schema = URL(fileURLWithPath: Self.folder(server) + "/apps/todos/schema.json")
    try Data("{\"classes\":1}".utf8).write(to: schema)
    #expect(try await !#require(server.program.files.apply().first).isApplied)
    try await mine.asyncWrite { mine.add(Todo(value: ["name": "still allowed"])) }
    try await mine.syncSession?.wait(for: .upload)
    #expect(ann.errors.withLock { $0.isEmpty })
    try await server.stop()
  }

  /// What the server says of a mistake in a rule.
  private static func located(_ server: RunningServer) async throws -> String {
    try write(file(read: #"{"%%user.name": "x"}"#), to: server)
    return try #require(await server.program.files.apply().first).text
  }

  @Test @MainActor func developmentBecomesProductionAndTheSchemaStays() async throws {
    let server = try await RunningServer(file: Self.file(mode: "development"), schema: nil)
    let ann = try await AppDevice(server, "ann")
    let mine = try await Self.open(ann)
    try await mine.asyncWrite { mine.add(Todo(value: ["name": "first"])) }
    try await mine.syncSession?.wait(for: .upload)
    // A user of production mode without permissions has nothing.
    #expect(try await Self.apply(Self.file(), to: server).contains("; 1 session begins"))
    try await expectEqual(ann.error().code, .permissionDeniedError)
    #expect(try await Self.apply(Self.file(write: "true"), to: server).contains("; 0 sessions"))
    let bob = try await AppDevice(server, "bob")
    let theirs = try await Self.open(bob)
    try await Self.wait(for: ["first"], in: theirs)
    // The classes are those of the devices so far, until the operator has others.
    let old = try await AppDevice(server, "old")
    _ = try await Realm(
      configuration: old.configuration("home", [NewerTodo.self]), actor: MainActor.shared)
    #expect(try await old.error().message.contains("no Todo.priority"))
    let schema = URL(fileURLWithPath: Self.folder(server) + "/apps/todos/schema.json")
    let text = try String(contentsOf: schema, encoding: .utf8)
    let line = #"    {"name":"name","type":"string"},"#
    expectTrue(text.contains(line))
    try Data(
      text.replacingOccurrences(
        of: line, with: line + "\n" + #"    {"name":"priority","type":"int"},"#
      ).utf8
    ).write(to: schema)
    _ = try await ApplyCommand.answer(Self.folder(server))
    let new = try await AppDevice(server, "new")
    let realm = try await Realm(
      configuration: new.configuration("home", [NewerTodo.self]), actor: MainActor.shared)
    try await realm.asyncWrite { realm.add(NewerTodo(value: ["name": "new", "priority": 1])) }
    try await realm.syncSession?.wait(for: .upload)
    for device in [bob, new] { #expect(device.errors.withLock { $0.isEmpty }) }
    try await server.stop()
  }

  @Test func providersAndTokensAreApplied() async throws {
    let server = try await RunningServer(file: Self.file(write: "true"))
    _ = try await server.user()
    let text = Self.file(write: "true", more: #", "tokens": {"accessMinutes": 5}"#)
    _ = try await Self.apply(text, to: server)
    let client = try await DeployedClient(server)
    let claims = try server.accounts.claims(accessToken: try await client.logIn().accessToken)
    await client.leave()
    expectEqual(claims.expires - claims.issued, 300)
    _ = try await Self.apply(
      text.replacingOccurrences(of: "\"anon-user\": {}", with: ""), to: server)
    await #expect(throws: (any Error).self) { _ = try await server.user() }
    try await server.stop()
  }

  /// `AppFiles` 2
  @Test func filesAreAppliedOneTimeAfterTheOther() async throws {
    let (begun, signal) = (TestSignal(), TestSignal())
    var functions = FunctionTable()
    functions["slow"] = { _ in
      begun.give()
      await signal.wait()
      return .null
    }
    func file(minutes: Int, _ more: String = "") -> String {
      Self.file(write: "true", more: #", "tokens": {"accessMinutes": \#(minutes)}\#(more)"#)
    }
    let trigger =
      #", "triggers": [{"name": "t", "type": "authentication", "function": "slow", "#
      + #""operation_type": "login"}]"#
    let server = try await RunningServer(file: file(minutes: 1, trigger), functions: functions)
    func minutes() -> Int { server.accounts.settings.accessMinutes }
    _ = try await server.user()
    await begun.wait()
    // The trigger has to end for these files, and waits for its function.
    try Self.write(file(minutes: 2), to: server)
    let first = Task { await server.program.reload() }
    while minutes() != 2 { try await Task.sleep(for: .milliseconds(2)) }
    try Self.write(file(minutes: 3), to: server)
    let second = Task { await server.program.reload() }
    // It would read its files meanwhile.
    try await Task.sleep(for: .milliseconds(100))
    expectEqual(minutes(), 2)
    try Self.write(file(minutes: 4), to: server)
    signal.give()
    _ = await first.value
    _ = await second.value
    expectEqual(minutes(), 4)
    try await server.stop()
  }

  // MARK: The command

  /// A certificate that cannot be read is no success, though the files of the apps are applied.
  @Test func aCertificateThatCannotBeReadIsAFailure() async throws {
    guard let certificate = try TestCertificate() else { return }
    let server = try await RunningServer(file: Self.file(), certificate: certificate)
    _ = try await ApplyCommand.answer(Self.folder(server))
    try Data("junk".utf8).write(to: URL(fileURLWithPath: certificate.certificatePath))
    do {
      let text = try await ApplyCommand.answer(Self.folder(server))
      Issue.record("it is applied: \(text)")
    } catch {
      expectTrue(error.description.contains(certificate.certificatePath), "\(error)")
      expectTrue(error.description.contains("The old certificate stays in use"), "\(error)")
      expectTrue(error.description.contains("todos are applied"), "\(error)")
    }
    try await server.stop()
  }

  @Test func withoutAServerTheCommandChecksTheFiles() async throws {
    let server = try await RunningServer(file: Self.file())
    try await server.stop()
    let folder = Self.folder(server)
    #expect(
      try await ApplyCommand.answer(folder).hasPrefix("The files have no mistakes. No server"))
    // A server that was killed leaves its folder.
    let requests = CommandRequests(folder)
    requests.begin()
    try await expectEqual(requests.ask(.apply, patience: .milliseconds(200)), nil)
    expectTrue(requests.take().isEmpty)
    try Self.write("{", to: server)
    await #expect(throws: ServerFailure.self) { try await ApplyCommand.answer(folder) }
    await #expect(throws: ServerFailure.self) { try await ApplyCommand.answer(folder + "/none") }
  }
}
#endif
