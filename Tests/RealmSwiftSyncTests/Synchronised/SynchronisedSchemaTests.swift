// SPDX-License-Identifier: Apache-2.0

// The schema of a synchronised file only grows (P5 8).

#if Sync
import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmSyncProtocol
import RealmTables
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

/// The classes of three releases of a program, under one name.
private enum Release {
  class First: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: String
    @Persisted var extra: Int

    override class func _realmObjectName() -> String? { "Growing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Second: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var added: List<Int>

    override class func _realmObjectName() -> String? { "Growing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Changed: Object {
    @Persisted(primaryKey: true) var _id: Int
    @Persisted var name: Int
    @Persisted var extra: Int?

    override class func _realmObjectName() -> String? { "Growing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Rekeyed: Object {
    @Persisted var _id: Int
    @Persisted(primaryKey: true) var name: String
    @Persisted var extra: Int

    override class func _realmObjectName() -> String? { "Growing" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct SynchronisedSchemaTests {
  private func opened(
    _ synced: SynchronisedRealm, _ type: ObjectBase.Type, version: UInt64 = 0
  ) throws -> Realm {
    synced.configuration.objectTypes = [type]
    synced.configuration.schemaVersion = version
    return try synced.open()
  }

  private func table(_ synced: SynchronisedRealm) throws -> TableSchema {
    let group = try TableGroup(synced.file().snapshot())
    return try #require(try group.table(named: "class_Growing")).schema
  }

  @Test func propertiesAreAddedWithoutAHigherVersion() throws {
    let synced = try SynchronisedRealm([Release.First.self])
    try autoreleasepool {
      let realm = try opened(synced, Release.First.self)
      try realm.write { realm.create(Release.First.self, value: [1, "a", 5] as [Any]) }
    }
    let lines = try synced.lines {
      try autoreleasepool {
        let realm = try opened(synced, Release.Second.self)
        let object = try #require(realm.objects(Release.Second.self).first)
        expectEqual(object.name, "a")
        expectTrue(object.added.isEmpty)
        try realm.write { object.added.append(3) }
      }
    }
    expectEqual(lines.count, 2)
    expectEqual(lines.first?.hasPrefix("AddColumn \"Growing\".\"added\""), true)
    // What only the file has stays, and indexes are as they were.
    let schema = try table(synced)
    expectTrue(schema.column(named: "extra") != nil)
    expectEqual(schema.column(named: "name")?.hasIndex, false)
    try synced.expectReplayIsEqual()
  }

  @Test func indexesChangeWithAHigherVersion() throws {
    let synced = try SynchronisedRealm([Release.First.self])
    try autoreleasepool { _ = try opened(synced, Release.First.self, version: 1) }
    let lines = try synced.lines {
      try autoreleasepool { _ = try opened(synced, Release.Second.self, version: 2) }
    }
    expectEqual(lines.count, 1)
    try expectEqual(table(synced).column(named: "name")?.hasIndex, true)
  }

  @Test func aLowerVersionIsNoError() throws {
    let synced = try SynchronisedRealm([Release.First.self])
    try autoreleasepool { _ = try opened(synced, Release.First.self, version: 4) }
    try autoreleasepool { _ = try opened(synced, Release.First.self, version: 2) }
    try expectEqual(schemaVersionAtURL(#require(synced.configuration.fileURL)), 4)
  }

  @Test func nothingIsMigrated() throws {
    let synced = try SynchronisedRealm([Release.First.self])
    try autoreleasepool { _ = try opened(synced, Release.First.self) }
    synced.configuration.migrationBlock = { _, _ in Issue.record("migrated") }
    try autoreleasepool { _ = try opened(synced, Release.Second.self, version: 9) }
  }

  @Test(arguments: [0, 7]) func otherChangesAreRefused(version: UInt64) throws {
    let synced = try SynchronisedRealm([Release.First.self])
    try autoreleasepool { _ = try opened(synced, Release.First.self) }
    let error = #expect(throws: Realm.Error.self) {
      _ = try opened(synced, Release.Changed.self, version: version)
    }
    expectEqual(error?.code, .schemaMismatch)
    let lines = error?.localizedDescription.split(separator: "\n") ?? []
    expectEqual(lines.first, "The following changes cannot be made in additive-only schema mode:")
    expectEqual(
      lines.dropFirst().first, "- Property 'Growing.name' has been changed from 'string' to 'int'.")
    expectTrue(lines.contains("- Property 'Growing.extra' has been made optional."))
    let rekeyed = #expect(throws: Realm.Error.self) {
      _ = try opened(synced, Release.Rekeyed.self, version: version)
    }
    expectEqual(
      rekeyed?.localizedDescription.contains(
        "- Primary Key for class 'Growing' has been changed from '_id' to 'name'."), true)
  }

  @Test func aFileThatSyncHasFilledIsOpened() async throws {
    let synced = try SynchronisedRealm([Release.Second.self])
    do {
      let group = try WriteGroup(synced.file().beginWrite())
      let table = try group.createTable(named: "class_Growing")
      let id = try table.addColumn(named: "_id", type: .int)
      _ = try table.addColumn(named: "name", type: .string)
      try table.setPrimaryKey(id.key)
      _ = try table.createObject(primaryKey: .int(3))
      _ = try group.commit()
    }
    let realm = try synced.open()
    expectEqual(realm.objects(Release.Second.self).first?._id, 3)
    try expectEqual(synced.lines().count, 1)
    try expectEqual(table(synced).column(named: "name")?.hasIndex, true)
  }

  @Test func compactionAndCopiesKeepTheKindOfTheFile() throws {
    let synced = try SynchronisedRealm([Release.First.self])
    try autoreleasepool {
      let realm = try opened(synced, Release.First.self)
      try realm.write { realm.create(Release.First.self, value: [1, "a", 5] as [Any]) }
    }
    let before = try synced.lines()
    synced.configuration.shouldCompactOnLaunch = { _, _ in true }
    let lines = try synced.lines {
      let realm = try opened(synced, Release.First.self)
      try realm.write { realm.create(Release.First.self, value: [2, "b", 5] as [Any]) }
    }
    expectEqual(lines.count, 3)
    try expectEqual(synced.lines().count, before.count + 3)
    try synced.expectReplayIsEqual()
  }

  @Test func optionsThatSyncForbidsAreRefused() async {
    await #expect(processExitsWith: .success) {
      let text = Traps.text {
        let synced = try SynchronisedRealm([Release.First.self])
        synced.configuration.deleteRealmIfMigrationNeeded = true
        _ = try synced.open()
      }
      precondition(
        text
          == "Cannot set 'deleteRealmIfMigrationNeeded' when sync is enabled ('syncConfig' is "
          + "set).", text)
    }
  }
}
#endif
