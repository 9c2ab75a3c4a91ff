// SPDX-License-Identifier: Apache-2.0

// The custom data of users: the operator gives it, rules and apps read it.

#if Server
import Foundation
import RealmFormats
import RealmStorage
import RealmSwift
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct CustomDataTests {
  private static func run(
    _ server: RunningServer, user: String? = nil, email: String? = nil, set: String? = nil,
    removes: Bool = false
  ) async throws -> String {
    try await CustomDataCommand.answer(
      server.directory.path + "/data", nil, user: user, email: email,
      CustomDataCommand.change(set: set, removes: removes))
  }

  @Test @MainActor func anEditorIsMadeWhileTheServerRuns() async throws {
    let server = try await RunningServer(file: PermissionTests.rules)
    let ann = try await AppDevice(server, "ann")
    let realm = try await Realm(
      configuration: ann.configuration("public"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    try await expectEqual(
      Self.run(server, user: ann.user.id),
      "The custom data of the user \(ann.user.id): none")
    #expect(try await ann.user.refreshCustomData().isEmpty)
    // The session of the reader ends, and begins again as a writer's.
    try await expectEqual(
      Self.run(server, user: ann.user.id, set: #"{"editor":true,"team":"a"}"#),
      """
      The custom data of the user \(ann.user.id): {"editor":true,"team":"a"}
      Of the app todos, 1 session begins again with other rights
      """)
    try await realm.asyncWrite { realm.add(Todo(value: ["name": "for all"])) }
    try await realm.syncSession?.wait(for: .upload)
    let bob = try await AppDevice(server, "bob")
    let other = try await Realm(
      configuration: bob.configuration("public"), actor: MainActor.shared,
      downloadBeforeOpen: .always)
    expectEqual(other.objects(Todo.self).map(\.name), ["for all"])
    // The app sees it with its next token.
    expectTrue(ann.user.customData.isEmpty)
    try await expectEqual(ann.user.refreshCustomData()["editor"], .bool(true))
    expectEqual(ann.user.customData["team"], .string("a"))
    #expect(
      try await Self.run(server, user: ann.user.id, removes: true).hasPrefix(
        "The custom data of the user \(ann.user.id): none\nOf the app todos, 1 session begins"))
    #expect(try await ann.user.refreshCustomData().isEmpty)
    for device in [ann, bob] { #expect(device.errors.withLock { $0.isEmpty }) }
    try await server.stop()
    // Without a server, too.
    try await expectEqual(
      Self.run(server, user: ann.user.id, set: "{}"),
      "The custom data of the user \(ann.user.id): {}")
  }

  @Test @MainActor func usersAreFoundByTheirAddress() async throws {
    let server = try await RunningServer(
      file: """
        {"id": "todos", "mode": "development", "sync": "partition",
          "providers": {"local-userpass": {"confirm": "auto"}}}
        """)
    let configuration = AppConfiguration(baseURL: server.address)
    configuration.directory = server.directory.path + "/ann"
    let app = App(id: server.app, configuration: configuration)
    try await app.emailPasswordAuth.registerUser(email: "ann@example.org", password: "secret")
    await #expect(throws: ServerFailure.self) {
      try await Self.run(server, email: "ann@example.org", set: "{}")
    }
    let user = try await app.login(
      credentials: .emailPassword(email: "ann@example.org", password: "secret"))
    #expect(
      try await Self.run(server, email: "ann@example.org", set: #"{"a":1}"#).contains(user.id))
    try await expectEqual(user.refreshCustomData().count, 1)
    let mistakes: [(user: String?, email: String?, set: String, removes: Bool, text: String)] = [
      ("none", nil, "{}", false, "has no such user"), (user.id, nil, "[1]", false, "JSON object"),
      (nil, nil, "{}", false, "--user or with --email"), (user.id, "a", "{}", false, "--user or"),
      (user.id, nil, "{}", true, "exclude each other"),
      (
        user.id, nil, "{\"a\":\"\(String(repeating: "x", count: 16 << 10))\"}", false,
        "has 16392 bytes, and custom data may have 16384"
      ),
    ]
    for mistake in mistakes {
      let error = await #expect(throws: ServerFailure.self) {
        try await Self.run(
          server, user: mistake.user, email: mistake.email, set: mistake.set,
          removes: mistake.removes)
      }
      expectEqual(error?.description.contains(mistake.text), true, "\(mistake)")
    }
    try await expectEqual(user.refreshCustomData().count, 1)
    try await server.stop()
  }
}
#endif
