// SPDX-License-Identifier: Apache-2.0

// Names of users in the output of commands, and modes of apps at the start.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmSyncProtocol
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct PlainTextTests {
  @Test(arguments: [
    ("ann@example.org", "ann@example.org"),
    ("Zoë 李 \u{1F469}\u{200D}\u{1F680}", "Zoë 李 \u{1F469}\u{200D}\u{1F680}"),
    ("a\u{1B}[2Jb", "a\\u{1b}[2Jb"), ("a\nb", "a\\u{a}b"), ("a\r\tb", "a\\u{d}\\u{9}b"),
    ("a\u{9B}31m", "a\\u{9b}31m"), ("a\u{202E}b", "a\\u{202e}b"), ("a\u{2028}b", "a\\u{2028}b"),
  ])
  func aNameIsAPartOfALine(_ name: String, _ expected: String) {
    expectEqual(PlainText.name(name), expected)
    expectEqual(
      PlainText.lines(name), expected.replacingOccurrences(of: "\\u{a}", with: "\n"))
  }

  @Test func namesOfUsersDoNotMoveTheTerminal() async throws {
    let server = try await RunningServer(
      file:
        #"{"id":"todos","mode":"development","providers":{"local-userpass":{"confirm":"auto"}}}"#)
    let name = IdentityName(provider: "custom-token", name: "a\u{1B}]0;x\u{7}\nb")
    _ = try await server.accounts.logIn(.identity(name, profile: []), linkedTo: nil, device: nil)
    let text = try await UsersCommand.list(
      server.directory.path + "/data", nil, search: "", isJSON: false)
    expectTrue(text.hasSuffix("custom-token a\\u{1b}]0;x\\u{7}\\u{a}b"), "\(text)")
    try await server.stop()
  }

  /// Devices keep their files, so the mode stays: also while no server runs.
  @Test(arguments: [SyncMode.partition, .flexible])
  func aChangedModeIsRefusedAtTheStart(_ mode: SyncMode) async throws {
    let server = try await RunningServer(mode: mode)
    // A call that writes opens its realm, before it finds no class.
    let document = BSONValue.document([
      BSONElement("_id", .int64(1)), BSONElement("_partition", .string("a")),
    ])
    _ = try? await server.program.apps[0].api.documents?.call(
      "insertOne",
      [
        .document([
          BSONElement("database", .string("d")), BSONElement("collection", .string("None")),
          BSONElement("document", document),
        ])
      ], user: nil)
    try await server.stop()
    let path = server.directory.path + "/data/apps/todos/app.json"
    let (old, new) = mode == .partition ? ("partition", "flexible") : ("flexible", "partition")
    let file = try String(contentsOfFile: path, encoding: .utf8)
    try #require(file.contains(old))
    try Data(file.replacingOccurrences(of: old, with: new).utf8)
      .write(to: URL(fileURLWithPath: path))
    do {
      _ = try await RunningServer(server.directory)
      Issue.record("the server starts")
    } catch let failure as ServerFailure {
      expectTrue(failure.description.contains("has \"sync\": \"\(new)\""), "\(failure.description)")
      expectTrue(
        failure.description.contains("Write \"sync\": \"\(old)\""), "\(failure.description)")
    }
    try Data(file.utf8).write(to: URL(fileURLWithPath: path))
    try await RunningServer(server.directory).stop()
  }
}
#endif
