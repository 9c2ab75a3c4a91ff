// SPDX-License-Identifier: Apache-2.0

// What is kept, and what becomes of the rest, when a file meets newer classes.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import Synchronization
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

struct MigrationTests {
  /// Keeps all that the second age can hold.
  @Sendable static func migrateAll(_ migration: Migration, _ oldVersion: UInt64) {
    migration.renameProperty(onType: "Reader", from: "name", to: "fullName")
    migration.enumerateObjects(ofType: "Reader") { old, new in
      new?.key = "key \(old?.id ?? 0)"
      new?.years = Int(old?.years as? String ?? "") ?? 0
      for book in old?.dynamicList("books") ?? List() {
        guard let title = book.title as? String else { continue }
        migration.enumerateObjects(ofType: "Novel") { _, novel in
          if let novel, novel.title as? String == title {
            new?.dynamicMutableSet("books").insert(novel)
          }
        }
      }
    }
  }

  private func checkSecondAge(_ realm: Realm) throws {
    let readers = realm.objects(Age2.Reader.self).sorted(byKeyPath: "key")
    expectEqual(readers.map(\.key), ["key 1", "key 2", "key 3"])
    expectEqual(readers.map(\.fullName), ["reader 1", "reader 2", "reader 3"])
    expectEqual(readers.map(\.years), [10, 20, 30])
    expectEqual(readers.map(\.nick), ["n1", "n2", "n3"])
    expectEqual(readers.map(\.score), [1, 0, 3])
    expectEqual(readers.map { Array($0.tags) }, Array(repeating: ["a", "b"], count: 3))
    #expect(readers.map { $0.books.map(\.title).sorted() }.allSatisfy { $0 == ["Dune", "Emma"] })
    expectEqual(readers.map { $0.home?.town }, ["town 1", "town 2", "town 3"])
    #expect(readers.allSatisfy { $0.anything.object(Age2.Novel.self)?.title == "Dune" })
    #expect(readers.allSatisfy { $0.added == nil })
    expectEqual(realm.object(ofType: Age2.Reader.self, forPrimaryKey: "key 2")?.years, 20)
    expectEqual(realm.objects(Age2.Reader.self).where { $0.fullName == "reader 3" }.count, 1)
    expectEqual(realm.object(ofType: Age2.Novel.self, forPrimaryKey: "Emma")?.readers.count, 3)
    expectTrue(realm.objects(Age2.Added.self).isEmpty)
  }

  @Test func aMigrationKeepsWhatItsBlockBringsOver() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 1, Self.migrateAll)
    do {
      let realm = try file.open()
      try checkSecondAge(realm)
      try realm.write {
        realm.create(Age2.Reader.self, value: ["key": "new", "home": ["town": "x"]])
      }
    }
    try ReferenceReader.check(file.configuration)
    file.configuration.migrationBlock = { _, _ in Issue.record("there is nothing to migrate") }
    try expectEqual(file.open().objects(Age2.Reader.self).count, 4)
  }

  @Test func objectsOfMigrationsAreDynamicEverywhere() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 1) { migration, version in
      var novels: [MigrationObject] = []
      migration.enumerateObjects(ofType: "Novel") { _, new in novels += new.map { [$0] } ?? [] }
      Self.migrateAll(migration, version)
      novels = []
      migration.enumerateObjects(ofType: "Novel") { _, new in novels += new.map { [$0] } ?? [] }
      migration.enumerateObjects(ofType: "Reader") { old, new in
        #expect((old?["home"] as? MigrationObject)?.town != nil)
        expectEqual((old?["anything"] as? MigrationObject)?.title as? String, "Dune")
        expectTrue(new?["home"] is MigrationObject)
        expectTrue(new?["anything"] is MigrationObject)
        new?["anything"] = novels[1]
        expectEqual((new?.anything as? MigrationObject)?.title as? String, "Emma")
      }
    }
    let readers = try file.open().objects(Age2.Reader.self)
    expectEqual(readers.count, 3)
    #expect(readers.allSatisfy { $0.anything.object(Age2.Novel.self)?.title == "Emma" })
  }

  @Test @MainActor func opensForActorsMigrateElsewhere() async throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 1) { migration, version in
      expectFalse(Thread.isMainThread)
      Self.migrateAll(migration, version)
    }
    try checkSecondAge(try await Realm(configuration: file.configuration, actor: MainActor.shared))
  }

  @Test func frozenReadsMigrateToo() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 1, Self.migrateAll)
    let count = try Realm.snapshot(of: file.configuration) { $0.objects(Age2.Reader.self).count }
    expectEqual(count, 3)
  }

  @Test func withoutABlockWhatFitsIsKept() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.configuration.objectTypes = [First.Reader.self]
    file.configuration.schemaVersion = 1
    let realm = try file.open()
    let readers = realm.objects(First.Reader.self)
    expectEqual(readers.map(\.id), [1, 2, 3])
    expectEqual(readers.map(\.years), [0, 0, 0])
    expectEqual(readers.map(\.nick), ["n1", "n2", "n3"])
    expectEqual(readers.map { Array($0.tags) }, Array(repeating: ["a", nil, "b"], count: 3))
    try ReferenceReader.check(file.configuration)
  }

  /// `MigrationRun` 1.
  @Test func theBlockSeesBothSchemasAndTheOldVersion() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.configuration.schemaVersion = 4
    do { _ = try file.open() }
    let seen = Mutex<[String]>([])
    file.becomeSecondAge(version: 9) { migration, version in
      Self.migrateAll(migration, version)
      seen.withLock { seen in
        seen.append("\(version)")
        seen.append(migration.oldSchema.objectSchema.map(\.className).joined(separator: " "))
        seen.append(migration.newSchema.objectSchema.map(\.className).joined(separator: " "))
        seen.append("\(migration.oldSchema["Reader"]?.primaryKeyProperty?.name ?? "-")")
        seen.append("\(migration.newSchema["Reader"]?.primaryKeyProperty?.name ?? "-")")
        seen.append("\(migration.oldSchema["Reader"]?["years"]?.type ?? .any)")
        seen.append("\(migration.oldSchema["Reader"]?["books"]?.objectClassName ?? "-")")
      }
    }
    _ = try file.open()
    expectEqual(
      seen.withLock { $0 },
      [
        "4", "Leftover Novel Place Reader", "Added Novel Place Reader", "id", "key", "string",
        "Novel",
      ])
    try expectEqual(schemaVersionAtURL(try #require(file.configuration.fileURL)), 9)
  }

  @Test func newFilesAreNotMigratedAndEqualSchemasAre() throws {
    let file = try TemporaryRealm(Age1.types)
    let calls = Mutex(0)
    file.configuration.schemaVersion = 3
    file.configuration.migrationBlock = { _, _ in calls.withLock { $0 += 1 } }
    do { _ = try file.open() }
    expectEqual(calls.withLock { $0 }, 0)
    file.configuration.schemaVersion = 5
    do { _ = try file.open() }
    expectEqual(calls.withLock { $0 }, 1)
    do { _ = try file.open() }
    expectEqual(calls.withLock { $0 }, 1)
  }

  @Test func objectsAreCreatedDeletedAndSkipped() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge { migration, version in
      Self.migrateAll(migration, version)
      migration.create("Added")
      let added = migration.create("Added", value: ["second"])
      expectEqual(added.text as? String, "second")
      var texts: [String] = []
      migration.enumerateObjects(ofType: "Added") { old, new in
        expectEqual(old, nil)
        if let text = new?.text as? String { texts.append(text) }
      }
      expectEqual(texts.sorted(), ["default", "second"])
      migration.enumerateObjects(ofType: "Reader") { old, new in
        guard old?.id as? Int == 2, let new else { return }
        if let home = new.home as? DynamicObject { migration.delete(home) }
        migration.delete(new)
      }
      var ids: [Int] = []
      migration.enumerateObjects(ofType: "Reader") { old, _ in ids.append(old?.id as? Int ?? 0) }
      expectEqual(ids, [1, 3])
      let copy = migration.create(
        "Reader", value: ["key": "made", "home": ["town": "y"], "books": [["Ulysses"]]])
      expectEqual(copy.dynamicMutableSet("books").first?.title as? String, "Ulysses")
      migration.enumerateObjects(ofType: "Nobody") { _, _ in Issue.record("nobody is there") }
    }
    let realm = try file.open()
    expectEqual(realm.objects(Age2.Reader.self).map(\.key).sorted(), ["key 1", "key 3", "made"])
    expectEqual(realm.objects(Age2.Added.self).map(\.text).sorted(), ["default", "second"])
    expectTrue(realm.object(ofType: Age2.Novel.self, forPrimaryKey: "Ulysses") != nil)
    try ReferenceReader.check(file.configuration)
  }

  @Test func dataIsDeletedByClass() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge { migration, version in
      Self.migrateAll(migration, version)
      var numbers: [Int] = []
      migration.enumerateObjects(ofType: "Leftover") { old, new in
        expectEqual(new, nil)
        numbers.append(old?.number as? Int ?? -1)
      }
      expectEqual(numbers.sorted(), [0, 1, 2, 3])
      expectTrue(migration.deleteData(forType: "Leftover"))
      expectTrue(migration.deleteData(forType: "Novel"))
      expectFalse(migration.deleteData(forType: "Nobody"))
    }
    let realm = try file.open()
    #expect(try realm.core.readableTables().table(named: "class_Leftover") == nil)
    expectTrue(realm.objects(Age2.Novel.self).isEmpty)
    #expect(realm.objects(Age2.Reader.self).allSatisfy { $0.books.isEmpty })
    try ReferenceReader.check(file.configuration)
  }

  /// `MigrationRun` 3.
  @Test func whatAMigrationGaveOutEndsWithIt() throws {
    let file = try TemporaryRealm.ofFirstAge()
    let kept = Mutex<Everywhere<[DynamicObject]>>(Everywhere([]))
    let lists = Mutex<Everywhere<[List<DynamicObject>]>>(Everywhere([]))
    file.becomeSecondAge { migration, version in
      Self.migrateAll(migration, version)
      migration.enumerateObjects(ofType: "Reader") { old, new in
        guard let old, let new else { return }
        kept.withLock { $0 = Everywhere($0.value + [old, new]) }
        lists.withLock { $0 = Everywhere($0.value + [old.dynamicList("books")]) }
      }
    }
    _ = try file.open()
    let objects = kept.withLock { $0.value }
    expectEqual(objects.count, 6)
    #expect(objects.allSatisfy { $0.isInvalidated })
    #expect(lists.withLock { $0.value.allSatisfy { $0.isInvalidated } })
  }

  @Test func stepsThroughSeveralVersionsRenameTwice() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 3) { migration, version in
      if version < 1 { migration.renameProperty(onType: "Reader", from: "name", to: "called") }
      if version < 2 { migration.renameProperty(onType: "Reader", from: "called", to: "fullName") }
      migration.enumerateObjects(ofType: "Reader") { old, new in new?.key = "\(old?.id ?? 0)" }
    }
    let realm = try file.open()
    expectEqual(
      realm.objects(Age2.Reader.self).compactMap(\.fullName).sorted(),
      ["reader 1", "reader 2", "reader 3"])
  }

  @Test func filesMayBeEmptiedInstead() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 0)
    file.configuration.deleteRealmIfMigrationNeeded = true
    do {
      let realm = try file.open()
      expectTrue(realm.isEmpty)
      try realm.write { realm.create(Age2.Reader.self, value: ["key": "k"]) }
    }
    try ReferenceReader.check(file.configuration)
    try expectEqual(file.open().objects(Age2.Reader.self).count, 1)
    for version in [5, 2] as [UInt64] {
      file.configuration.schemaVersion = version
      let realm = try file.open()
      expectTrue(realm.isEmpty)
      try realm.write { realm.create(Age2.Reader.self, value: ["key": "k"]) }
    }
  }

  @Test func aClosedFileIsMigratedWithoutOpeningIt() throws {
    let file = try TemporaryRealm.ofFirstAge()
    let url = try #require(file.configuration.fileURL)
    try expectEqual(schemaVersionAtURL(url), 0)
    file.becomeSecondAge(version: 6, Self.migrateAll)
    try Realm.performMigration(for: file.configuration)
    try expectEqual(schemaVersionAtURL(url), 6)
    file.configuration.migrationBlock = nil
    try checkSecondAge(try file.open())
    try expectEqual(schemaVersionAtURL(url), 6)
  }

  @Test func filesThatNoRealmMadeHaveNoVersion() throws {
    let file = try TemporaryRealm()
    let url = try #require(file.configuration.fileURL)
    for isThere in [false, true] {
      if isThere { _ = try DatabaseFile.open(path: url.path) }
      let error = #expect(throws: Realm.Error.self) { try schemaVersionAtURL(url) }
      expectEqual(error?.code, .invalidDatabase)
      expectEqual(
        error?.localizedDescription, "Realm at path '\(url.path)' has not been initialized.")
      expectEqual(FileManager.default.fileExists(atPath: url.path), isThere)
    }
  }
}

private enum First {
  class Reader: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var years: Int
    @Persisted var nick: String?
    @Persisted var tags: List<String?>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}
