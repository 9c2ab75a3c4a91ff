// SPDX-License-Identifier: Apache-2.0

// Apps of the former service, from their export to their devices.

#if Server
import Foundation
import RealmFormats
import RealmServerEngine
import RealmServerServices
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServer
@testable import RealmServerKit

@Suite(.timeLimit(.minutes(10))) struct ImportTests {
  private static func failure(
    _ app: TutorialApp, _ change: (inout ImportRequest) -> Void = { _ in }
  ) async -> String {
    do {
      return "none: " + (try await app.run(change).answer)
    } catch {
      return "\(error)"
    }
  }

  @Test func aDryRunDoesNothing() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 3)
    let (shown, answer) = try await app.run { $0.isDryRun = true }
    expectTrue(shown.contains("The collection todo.Item becomes the class Item."))
    expectEqual(answer, "Nothing was done.")
    expectTrue(!FileManager.default.fileExists(atPath: directory.path + "/data"))
  }

  /// Names of an export are those of a stranger: they move no terminal.
  @Test func whatIsShownHasNoControls() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 3)
    try app.write("dump/todo/a\u{1B}]0;x\u{7}\u{202E}b.json", Array(#"{"_id":1}"#.utf8))
    let (shown, answer) = try await app.run()
    expectTrue(shown.contains("a\\u{1b}]0;x\\u{7}\\u{202e}b"), "\(shown)")
    for text in [shown, PlainText.lines(answer)] {
      let hidden = text.unicodeScalars.filter { scalar in
        scalar != "\n" && [.control, .format].contains(scalar.properties.generalCategory)
      }
      expectEqual(hidden.map(\.value), [])
    }
  }

  @Test func aListOfUsersThatIsMissingIsNamedBeforeAnythingIsMade() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 3)
    let failure = await Self.failure(app) { $0.users = directory.path + "/nobody.json" }
    expectEqual(failure, "There is no file \(directory.path)/nobody.json to read. Check the path.")
    expectTrue(!FileManager.default.fileExists(atPath: directory.path + "/data"))
  }

  @Test func whoDoesNotAgreeGetsNothing() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 3)
    await #expect {
      try await app.request.answer(ask: { false }, show: { _ in })
    } throws: {
      "\($0)".hasPrefix("Nothing was done.")
    }
    expectTrue(!FileManager.default.fileExists(atPath: directory.path + "/data"))
  }

  /// An import that has not ended is served by no server, and goes on with the same command.
  @Test func anUnfinishedAppIsNotServed() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 3)
    try app.write("dump/todo/Profile.json", Array(#"{"_id":1}"#.utf8))
    let strict = await Self.failure(app) { $0.options.isStrict = true }
    expectTrue(strict.contains("todo.Profile"))
    expectTrue(strict.contains("--strict"))
    await #expect {
      _ = try await RunningServer(directory)
    } throws: {
      "\($0)".hasPrefix("The import of the app tasks-abcde has not ended. Give the same")
    }
    let (shown, answer) = try await app.run()
    expectTrue(shown.contains("An interrupted import goes on."))
    #expect(answer.contains("Documents of todo.Profile that do not fit the schema: 1 (left out)"))
    let rejected = "\(directory.path)/data/apps/\(TutorialApp.id)/rejected.jsonl"
    expectEqual(FileManager.default.contents(atPath: rejected)?.isEmpty, false)
    let server = try await RunningServer(directory)
    expectEqual(server.app, TutorialApp.id)
    try await server.stop()
  }

  @Test func anImportBeginsAgainAtWill() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 3)
    try app.write("dump/todo/Profile.json", Array(#"{"_id":1}"#.utf8))
    _ = await Self.failure(app) { $0.options.isStrict = true }
    _ = try TutorialApp(in: directory.path, userCount: 3, itemCount: 4)
    let other = await Self.failure(app)
    expectTrue(other.contains("another dump"))
    expectTrue(other.contains("--start-over"))
    let answer = try await app.run { $0.startsOver = true }.answer
    expectTrue(answer.contains("3 users and 7 objects are there"))
  }

  @Test func anAppThatIsThereIsNotChanged() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 3)
    _ = try await app.run()
    let again = await Self.failure(app)
    expectTrue(again.contains("has an app tasks-abcde already, and an import changes none"))
    let over = await Self.failure(app) { $0.startsOver = true }
    expectTrue(over.contains("has an app tasks-abcde already, and an import changes none"))
  }

  // MARK: Mails

  @Test func usersAreMailedLaterAtWillAndOnce() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 5, itemCount: 1)
    let answer = try await app.run { $0.sendsMail = false }.answer
    expectTrue(answer.contains("realm-server users invite"))
    #expect(try app.mails.isEmpty)
    let folder = directory.path + "/data"
    #expect(
      try await InviteCommand.answer(folder, nil, mailsPerMinute: 60).hasPrefix("5 mails wait in"))
    try expectEqual(app.mails.count, 5)
    // Who has a valid mail is not mailed again.
    #expect(
      try await InviteCommand.answer(folder, nil, mailsPerMinute: 60).hasPrefix("0 mails wait in"))
  }

  @Test func usersAreMailedByTheMailServerOfTheApp() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 4, itemCount: 1)
    _ = try await app.run { $0.sendsMail = false }
    let server = try await TestMailServer()
    try Self.setMailServer(of: app, port: server.port)
    let folder = directory.path + "/data"
    try await expectEqual(
      InviteCommand.answer(folder, nil, mailsPerMinute: 60_000), "4 users were mailed.")
    for number in 0..<4 {
      expectTrue(server.lines.contains("RCPT TO:<\(TutorialApp.email(number))>"))
    }
    try await expectEqual(
      InviteCommand.answer(folder, nil, mailsPerMinute: 60_000), "0 users were mailed.")
    try await server.stop()
  }

  /// Lets the app send its mails by a server of this machine.
  private static func setMailServer(of app: TutorialApp, port: Int) throws {
    let path = "\(app.folder)/data/apps/\(TutorialApp.id)/app.json"
    let data = try #require(FileManager.default.contents(atPath: path))
    let text = String(decoding: data, as: UTF8.self).replacingOccurrences(
      of: #""mail":{"#,
      with: #"""
        "mail":{"from":"a@example.org","confirm_url":"https://example.org/c",
        "smtp":{"host":"127.0.0.1","port":\#(port),"security":"none"},
        """#)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  @Test func aMailServerThatDoesNotAnswerEndsTheMails() async throws {
    let directory = try TemporaryDirectory()
    let app = try TutorialApp(in: directory.path, userCount: 2, itemCount: 1)
    _ = try await app.run { $0.sendsMail = false }
    try Self.setMailServer(of: app, port: 1)
    await #expect {
      _ = try await InviteCommand.answer(directory.path + "/data", nil, mailsPerMinute: 60_000)
    } throws: {
      "\($0)".hasPrefix("After 0 mails, one could not be sent") && "\($0)".contains("users invite")
    }
  }
}
#endif
