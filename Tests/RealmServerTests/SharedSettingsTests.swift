// SPDX-License-Identifier: Apache-2.0

// The settings of a folder, and those of other servers of its database.

#if Server
import Foundation
import RealmServerEngine
import RealmServerServices
import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmServerKit

struct SharedSettingsTests {
  /// Shared files in memory.
  private final class MemoryFiles: SharedFiles {
    let content = Locked<[String: SharedServerFile]>([:])

    func all() throws(StoreError) -> [SharedServerFile] {
      content.withLock { $0.values.sorted { $0.path < $1.path } }
    }

    func put(
      _ bytes: [UInt8]?, at path: String, after version: Int64
    ) throws(StoreError) -> Bool {
      content.withLock { content in
        guard content[path]?.version ?? 0 == version else { return false }
        content[path] = SharedServerFile(path: path, version: version + 1, bytes: bytes)
        return true
      }
    }

    func news() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    subscript(path: String) -> String? {
      content.withLock { $0[path]?.bytes }.map { String(decoding: $0, as: UTF8.self) }
    }
  }

  private let files = MemoryFiles()
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The settings of a server with a folder of its own.
  private func settings(_ name: String) throws -> SharedSettings {
    for root in ["apps", "keys"] {
      try FileManager.default.createDirectory(
        atPath: directory.file("\(name)/\(root)"), withIntermediateDirectories: true)
    }
    return SharedSettings(files, folder: directory.file(name))
  }

  private func write(_ text: String, _ path: String) throws {
    let url = URL(fileURLWithPath: directory.file(path))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: directory.file(path))
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func aServerWithAnEmptyFolderGetsWhatTheOthersHave() throws {
    let one = try settings("one")
    try write("{}", "one/apps/todos/app.json")
    try write("secret", "one/apps/todos/secrets/push.key")
    try write("key", "one/keys/tokens")
    try expectEqual(one.push(), [])
    let other = try settings("other")
    try expectEqual(
      other.pull(), ["apps/todos/app.json", "apps/todos/secrets/push.key", "keys/tokens"])
    expectEqual(text("other/apps/todos/secrets/push.key"), "secret")
    expectEqual(text("other/keys/tokens"), "key")
    try expectEqual(other.pull(), [])
    // What it lacks at the start was not removed by it.
    let third = try settings("third")
    try expectEqual(third.push(removes: false), [])
    expectEqual(files["keys/tokens"], "key")
  }

  @Test func dataAndUnfinishedFilesStayWhereTheyAre() throws {
    let one = try settings("one")
    let names = [
      "apps/a/accounts.realm", "apps/a/accounts.realm.lock", "apps/a/realms/flexible.json",
      "apps/a/x.realm.management/log", "apps/a/outbox/1.json", "apps/a/lock",
      "apps/a/import.unfinished", "apps/a/rejected.jsonl", "apps/a/app.json.new",
      "apps/a/.served", "keys/tokens.new", "keys/.hidden", "node", "replicas/node",
      "requests/1.apply",
    ]
    for name in names { try write("x", "one/" + name) }
    try write("{}", "one/apps/a/app.json")
    try expectEqual(one.push(), [])
    expectEqual(files.content.withLock { Array($0.keys) }, ["apps/a/app.json"])
    for name in names { #expect(!SettingsFolder.isShared(name), "\(name)") }
  }

  /// `SharedSettings` 1
  @Test func theChangeOfTheFasterServerCounts() throws {
    let (one, other) = (try settings("one"), try settings("other"))
    try write("1", "one/apps/a/app.json")
    _ = try one.push()
    _ = try other.pull()
    try write("2", "one/apps/a/app.json")
    try write("3", "other/apps/a/app.json")
    try expectEqual(one.push(), [])
    let notices = try other.push()
    expectTrue(notices.count == 1 && notices[0].contains("has changed apps/a/app.json"))
    expectEqual(text("other/apps/a/app.json"), "2")
    // Once more, it is a change after the other's.
    try write("3", "other/apps/a/app.json")
    try expectEqual(other.push(), [])
    try expectEqual(one.pull(), ["apps/a/app.json"])
    expectEqual(text("one/apps/a/app.json"), "3")
    // The same change by both is none that needs a sentence.
    try write("4", "one/apps/a/app.json")
    try write("4", "other/apps/a/app.json")
    try expectEqual(one.push(), [])
    try expectEqual(other.push(), [])
  }

  /// `SharedSettings` 2
  @Test func aFileThatIsRemovedWhileServersRunGoesForAll() throws {
    let (one, other) = (try settings("one"), try settings("other"))
    try write("{}", "one/apps/a/app.json")
    _ = try one.push()
    _ = try other.pull()
    try FileManager.default.removeItem(atPath: directory.file("one/apps/a/app.json"))
    try expectEqual(one.push(), [])
    try expectEqual(other.pull(), ["apps/a/app.json"])
    expectEqual(text("other/apps/a/app.json"), nil)
    try write("new", "other/apps/a/app.json")
    try expectEqual(other.push(), [])
    expectEqual(files["apps/a/app.json"], "new")
  }

  /// `SharedSettings` 2
  @Test func aFileThatWasChangedWhileItsServerWasStoppedCounts() throws {
    try write("1", "one/apps/a/app.json")
    try write("1", "one/apps/a/schema.json")
    _ = try settings("one").push()
    let other = try settings("other")
    _ = try other.pull()
    // Both files are changed by hand, and one of them at the other server, too.
    try write("2", "one/apps/a/app.json")
    try write("2", "one/apps/a/schema.json")
    try write("3", "other/apps/a/schema.json")
    _ = try other.push()
    let again = try settings("one")
    try expectEqual(again.pull(), ["apps/a/schema.json"])
    expectEqual(text("one/apps/a/app.json"), "2")
    expectEqual(text("one/apps/a/schema.json"), "3")
    try expectEqual(again.push(removes: false), [])
    expectEqual(files["apps/a/app.json"], "2")
    expectEqual(files["apps/a/schema.json"], "3")
    // What it knows of the database may be damaged: then that counts.
    try write("{", "one/shared.json")
    try write("4", "one/apps/a/app.json")
    try expectEqual(settings("one").pull(), ["apps/a/app.json"])
  }

  @Test func aFileOfOneServerIsStoredOnlyOverTheOneItKnows() throws {
    let (one, other) = (try settings("one"), try settings("other"))
    guard case .stored = try one.put([1], at: "apps/a/schema.json") else {
      Issue.record("it is not stored")
      return
    }
    expectEqual(text("one/apps/a/schema.json"), "\u{1}")
    guard case .newer([1]?) = try other.put([2], at: "apps/a/schema.json") else {
      Issue.record("the other's is overwritten")
      return
    }
    expectEqual(text("other/apps/a/schema.json"), "\u{1}")
    guard case .stored = try other.put([2], at: "apps/a/schema.json") else {
      Issue.record("it is not stored")
      return
    }
  }

  /// `SharedSettings` 3: what could not be written is not undone for the others.
  @Test func aFileThatCannotBeWrittenStaysNews() throws {
    let (one, other) = (try settings("one"), try settings("other"))
    try write("1", "one/apps/a/app.json")
    _ = try one.push()
    // A file is where the folder of the app would be.
    try write("x", "other/apps/a")
    #expect(throws: ServerFailure.self) { _ = try other.pull() }
    try FileManager.default.removeItem(atPath: directory.file("other/apps/a"))
    try expectEqual(other.push(), [])
    expectEqual(files["apps/a/app.json"], "1")
    try expectEqual(other.pull(), ["apps/a/app.json"])
  }

  /// `SharedSettings` 4
  @Test func whatCameWithAConflictIsReported() throws {
    let (one, other) = (try settings("one"), try settings("other"))
    for path in ["apps/a/app.json", "apps/a/schema.json", "keys/tokens"] {
      try write("1", "one/" + path)
    }
    _ = try one.push()
    _ = try other.pull()
    for path in ["apps/a/schema.json", "keys/tokens"] { try write("2", "one/" + path) }
    _ = try one.push()
    guard case .newer = try other.put([3], at: "apps/a/schema.json") else {
      Issue.record("the other's is overwritten")
      return
    }
    try expectEqual(other.pull(), ["apps/a/schema.json", "keys/tokens"])
    try expectEqual(other.pull(), [])
  }

  @Test func aFolderThatCannotBeReadRemovesNothing() throws {
    let one = try settings("one")
    try write("1", "one/apps/a/app.json")
    try write("1", "one/keys/tokens")
    _ = try one.push()
    try FileManager.default.removeItem(atPath: directory.file("one/apps"))
    #expect(throws: ServerFailure.self) { _ = try one.push() }
    try FileManager.default.createDirectory(
      atPath: directory.file("one/apps"), withIntermediateDirectories: true)
    try FileManager.default.removeItem(atPath: directory.file("one/keys/tokens"))
    try expectEqual(one.push(), [])
    expectTrue(files["apps/a/app.json"] == nil)
    expectEqual(files["keys/tokens"], "1")
  }

  @Test func anAppThatIsRemovedIsNotInTheWay() throws {
    let (one, other) = (try settings("one"), try settings("other"))
    try write("{}", "one/apps/a/app.json")
    _ = try one.push()
    _ = try other.pull()
    try write("mail", "other/apps/a/outbox/1")
    try FileManager.default.removeItem(atPath: directory.file("one/apps/a"))
    _ = try one.push()
    try expectEqual(other.pull(), ["apps/a/app.json"])
    expectFalse(FileManager.default.fileExists(atPath: directory.file("other/apps/a")))
    // It comes back while its server is stopped.
    try write("{1}", "other/apps/a/app.json")
    let again = try settings("other")
    try expectEqual(again.pull(), [])
    try expectEqual(again.push(removes: false), [])
    expectEqual(files["apps/a/app.json"], "{1}")
  }

  @Test func aFolderKnowsItsDatabase() throws {
    _ = try settings("one")
    expectFalse(SharedSettings.isOfOther("x", folder: directory.file("one")))
    let settings = SharedSettings(files, folder: directory.file("one"), database: "x")
    try write("1", "one/keys/tokens")
    _ = try settings.push()
    expectFalse(SharedSettings.isOfOther("x", folder: directory.file("one")))
    expectTrue(SharedSettings.isOfOther("y", folder: directory.file("one")))
  }

  /// The database is another machine's: its names lead nowhere else.
  @Test func namesOfTheDatabaseStayInTheFolder() throws {
    for path in ["apps/../x", "/x", "x", "apps//x", "keys/./x", "apps/a/\0", "keys", "apps/.x/a"] {
      files.content.withLock { $0[path] = SharedServerFile(path: path, version: 1, bytes: [1]) }
    }
    try expectEqual(settings("one").pull(), [])
    expectEqual(text("x"), nil)
  }

  @Test func aLargeFileIsNoSetting() throws {
    let one = try settings("one")
    try write(String(repeating: "x", count: (1 << 20) + 1), "one/apps/a/large.txt")
    #expect(throws: ServerFailure.self) { _ = try one.push() }
  }
}
#endif
