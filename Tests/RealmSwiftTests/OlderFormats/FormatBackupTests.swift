// SPDX-License-Identifier: Apache-2.0

// Copies from before an upgrade: when they are made, restored and removed.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// The class of `migration-example-v0.realm`.
private enum First {
  final class Person: Object {
    @Persisted var firstName: String
    @Persisted var lastName: String
    @Persisted var age: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

@Suite(
  "Coverage 2: copies from before an upgrade",
  .enabled(if: !OldFixture.all.isEmpty, "the folder shared/fixtures/old-formats is not there"))
struct FormatBackupTests {
  private let file: TemporaryRealm
  private let url: URL
  private let original: Data

  init() throws {
    file = try TemporaryRealm([First.Person.self])
    url = try #require(file.configuration.fileURL)
    let fixture = try #require(OldFixture.upgradable.first { $0.name == "migration-example-v0" })
    original = Data(try fixture.bytes())
    try original.write(to: url)
  }

  private func copy(_ format: Int) -> URL {
    file.directory.appendingPathComponent("test.v\(format).backup.realm")
  }

  private var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: file.directory.path)) }
  }

  private func open() throws -> [String] {
    Array(try file.open().objects(First.Person.self).map(\.firstName))
  }

  /// Writes other contents into the file, once it is not open any more.
  private func replace(by contents: Data) throws {
    var failure: (any Error)?
    let wasClosed = try RealmCache.whileClosed(url.path) {
      do { try contents.write(to: url) } catch { failure = error }
    }
    if let failure { throw failure }
    expectTrue(wasClosed)
  }

  @Test func aCopyIsMadeOnce() throws {
    try expectEqual(open(), ["John", "Jane", "John"])
    try expectEqual(Data(contentsOf: copy(20)), original)
    try expectEqual(names, ["test.realm", "test.realm.lock", "test.v20.backup.realm"])
    // Later opens make none, and an upgrade finds one.
    try expectEqual(open().count, 3)
    try Data("kept".utf8).write(to: copy(20))
    try replace(by: original)
    try expectEqual(open().count, 3)
    try expectEqual(Data(contentsOf: copy(20)), Data("kept".utf8))
    try expectEqual(names.count, 3)
  }

  /// A copy of an earlier release is found by its name.
  @Test func copiesAreNamedByFoundationsRules() {
    for name in [
      "a.realm", "a", "a.b", "a.b.realm", ".realm", ".a.realm", "a.realm.realm", "a..realm", "a.",
      "a.realm ", "a b.realm", "ä.realm", "🐢", "a.Realm", "arealm", "realm",
    ] {
      let url = URL(fileURLWithPath: "/nowhere/b.c/" + name)
      let stem = url.deletingPathExtension().path
      expectEqual(FormatBackups(of: url.path).path(format: 9), stem + ".v9.backup.realm")
    }
  }

  @Test func filesWithoutAnExtensionHaveCopiesToo() throws {
    let path = file.directory.appendingPathComponent("data").path
    expectEqual(
      FormatBackups(of: path).path(format: 23),
      file.directory.appendingPathComponent("data.v23.backup.realm").path)
    let dotted = file.directory.appendingPathComponent("my.data.realm").path
    expectEqual(
      FormatBackups(of: dotted).path(format: 10),
      file.directory.appendingPathComponent("my.data.v10.backup.realm").path)
  }

  /// `FormatBackups` 1: what an upgrade leaves whose process was killed while it copied.
  @Test func anUnfinishedCopyGoes() throws {
    let unfinished = copy(20).appendingPathExtension("unfinished")
    try original.prefix(100).write(to: unfinished)
    try expectEqual(open().count, 3)
    try expectEqual(Data(contentsOf: copy(20)), original)
    try expectEqual(names, ["test.realm", "test.realm.lock", "test.v20.backup.realm"])
    // The file is in the present format by now.
    try original.prefix(100).write(to: unfinished)
    try expectEqual(open().count, 3)
    try expectEqual(names.count, 3)
  }

  /// `FormatBackups` 2: the upgrade goes on without a copy.
  @Test func aFolderInItsPlaceKeepsItsFiles() throws {
    let folder = copy(20).appendingPathExtension("unfinished")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let dear = folder.appendingPathComponent("dear.txt")
    try Data("dear".utf8).write(to: dear)
    for _ in 0..<2 {
      try expectEqual(open().count, 3)
      try expectEqual(Data(contentsOf: dear), Data("dear".utf8))
    }
  }

  @Test(arguments: [0o600, 0o640, 0o660])
  func aCopyHasTheRightsOfTheFile(_ rights: Int) throws {
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: rights], ofItemAtPath: url.path)
    _ = try open()
    for path in [url.path, copy(20).path, url.path + ".lock"] {
      let found = try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      expectEqual(found, rights, "\(path)")
    }
  }

  /// `FormatBackups` 2.
  @Test func withoutACopyTheFileIsUpgradedAllTheSame() throws {
    // A directory has the name of the copy's first form: nothing can be copied there.
    let backups = FormatBackups(of: file.directory.appendingPathComponent("no/x.realm").path)
    backups.make(format: 20)
    try FileManager.default.createDirectory(at: copy(20), withIntermediateDirectories: false)
    try expectEqual(open().count, 3)
    #expect(try Data(contentsOf: url)[20...21].contains(24))
  }

  @Test func noCopyIsMadeWhereSpaceIsShort() throws {
    for (free, isMade) in [(original.count * 2 - 1, false), (original.count * 2, true)] {
      let backups = FormatBackups(of: url.path) { directory in
        directory == file.directory.path ? Int64(free) : nil
      }
      backups.make(format: 20)
      try expectEqual(names, (isMade ? ["test.realm", "test.v20.backup.realm"] : ["test.realm"]))
    }
    try expectEqual(Data(contentsOf: copy(20)), original)
  }

  @Test func copiesAreRemovedAfterThreeMonths() throws {
    _ = try open()
    func setAge(days: Double, _ format: Int) throws {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -days * 86_400)],
        ofItemAtPath: copy(format).path)
    }
    try original.write(to: copy(11))
    try original.write(to: copy(25))
    try setAge(days: 80, 20)
    try setAge(days: 100, 11)
    try setAge(days: 400, 25)
    _ = try open()
    try expectEqual(
      names,
      [
        "test.realm", "test.realm.lock", "test.v20.backup.realm", "test.v25.backup.realm",
      ])
    try setAge(days: 93, 20)
    _ = try open()
    try expectEqual(names, ["test.realm", "test.realm.lock", "test.v25.backup.realm"])
  }

  /// `FormatBackups` 3.
  @Test func aCopyTakesThePlaceOfAFileInANewerFormat() throws {
    _ = try open()
    var newer = try Data(contentsOf: url)
    newer[20] = 25
    newer[21] = 25
    try replace(by: newer)
    try expectEqual(open(), ["John", "Jane", "John"])
    try expectEqual(Data(contentsOf: copy(25)), newer)
    // The copy was in format 20: it was upgraded, and copied, again.
    try expectEqual(Data(contentsOf: copy(20)), original)
    try expectEqual(
      names,
      [
        "test.realm", "test.realm.lock", "test.v20.backup.realm", "test.v25.backup.realm",
      ])
  }

  @Test func theNewestCopyIsTaken() throws {
    try FileManager.default.moveItem(at: url, to: copy(20))
    let other = try TemporaryRealm([])
    do {
      let realm = try other.open()
      _ = realm
    }
    try FileManager.default.copyItem(
      at: try #require(other.configuration.fileURL), to: copy(24))
    var newer = original
    newer[20] = 26
    newer[21] = 26
    try newer.write(to: url)
    #expect(try open().isEmpty)
    try expectEqual(Data(contentsOf: copy(20)), original)
    expectFalse(FileManager.default.fileExists(atPath: copy(24).path))
    try expectEqual(Data(contentsOf: copy(26)), newer)
  }

  @Test func nothingTakesThePlaceOfOtherFiles() throws {
    try original.write(to: copy(20))
    var older = original
    older[20] = 9
    older[21] = 9
    try older.write(to: url)
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .unsupportedFileFormatVersion)
    // Read-only realms change nothing.
    older[20] = 25
    older[21] = 25
    try older.write(to: url)
    file.configuration.readOnly = true
    #expect(throws: Realm.Error.self) { try file.open() }
    try expectEqual(Data(contentsOf: url), older)
    expectTrue(FileManager.default.fileExists(atPath: copy(20).path))
    // Without a copy there is nothing to restore.
    file.configuration.readOnly = false
    try FileManager.default.removeItem(at: copy(20))
    #expect(throws: Realm.Error.self) { try file.open() }
    try expectEqual(Data(contentsOf: url), older)
  }
}
