// SPDX-License-Identifier: Apache-2.0

// Files of older formats, opened as a program opens them.

import Foundation
import RealmFormats
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

/// The classes of `migration-example-v5.realm`, and as they may be later.
private enum Fifth {
  final class Address: EmbeddedObject {
    @Persisted var street: String
    @Persisted var city: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Person: Object {
    @Persisted var fullName: String
    @Persisted var age: Int
    @Persisted var address: Address?
    @Persisted var pets: List<Pet>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Pet: Object {
    @Persisted var name: String
    @Persisted var kind: Int
    @Persisted(originProperty: "pets") var owners: LinkingObjects<Person>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static let types: [ObjectBase.Type] = [Address.self, Person.self, Pet.self]
}

private enum Sixth {
  final class Person: Object {
    @Persisted var name: String
    @Persisted(indexed: true) var age: Int
    @Persisted var petNames: MutableSet<String>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

/// A class of `sync-metadata-v6.realm`.
private final class UserIdentity: Object {
  @Persisted var id: String
  @Persisted var providerType: String
  override class func propertiesMapping() -> [String: String] { ["providerType": "provider_type"] }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite(
  "Coverage 2: files of older formats",
  .enabled(if: !OldFixture.all.isEmpty, "the folder shared/fixtures/old-formats is not there"))
struct OldFileTests {
  private func file(_ fixture: OldFixture) throws -> TemporaryRealm {
    let file = try TemporaryRealm([])
    try Data(fixture.bytes()).write(to: try #require(file.configuration.fileURL))
    if let version = try fixture.expected()["schemaVersion"]?.integer {
      file.configuration.schemaVersion = UInt64(version)
    }
    return file
  }

  private func fixture(_ name: String) throws -> OldFixture {
    try #require(OldFixture.upgradable.first { $0.name == name })
  }

  private func format(_ url: URL?) throws -> Int {
    let bytes = try Data(contentsOf: try #require(url))
    return Int(bytes[bytes[23] & 1 == 0 ? 20 : 21])
  }

  /// The tables that the fixture's contents name, as the realm has them.
  private func tables(_ realm: Realm, of fixture: OldFixture) throws -> [JSONValue] {
    let names = try fixture.expected()["tables"]?.elements.compactMap { $0["table"]?.string } ?? []
    return try ContentDump(realm.core.readableTables()).json().elements.filter { table in
      // The version of the schema is given to files that have none.
      names.contains { $0 == table["table"]?.string }
    }
  }

  private func expectContents(_ realm: Realm, _ fixture: OldFixture) throws {
    let expected = try fixture.expected()["tables"] ?? []
    let found = JSONValue.array(try tables(realm, of: fixture))
    expectEqual(JSONValue.differences(expected: expected, actual: found), [])
  }

  @Test("open, are changed, and stay whole", .heavy, arguments: OldFixture.upgradable)
  func opens(fixture: OldFixture) throws {
    let file = try file(fixture)
    do {
      let realm = try file.open()
      try expectContents(realm, fixture)
      try expectContents(realm.freeze(), fixture)
    }
    try expectEqual(format(file.configuration.fileURL), 24)
    file.configuration.objectTypes = [SharedCounter.self]
    do {
      let realm = try file.open()
      try realm.write { _ = realm.create(SharedCounter.self, value: ["id": 4, "value": 5]) }
      try expectContents(realm, fixture)
      let findings = try DatabaseCheck.run(realm.core.snapshot()).filter { $0.check != 37 }
      expectEqual(findings, [])
    }
    try expectEqual(file.open().objects(SharedCounter.self).map(\.value), [5])
    guard ReferenceReader.isAvailable, let url = file.configuration.fileURL else { return }
    try expectEqual(ReferenceReader.check(url.path).errors, [])
  }

  @Test func typedObjectsAreReadChangedAndMigrated() throws {
    let file = try file(try fixture("migration-example-v5"))
    file.configuration.objectTypes = Fifth.types
    do {
      let realm = try file.open()
      let people = realm.objects(Fifth.Person.self).sorted(by: \.age)
      expectEqual(people.map(\.fullName), ["John Doe", "Jane Doe", "John Smith"])
      expectEqual(people[0].address?.city, "New York")
      expectEqual(people.map { $0.pets.map(\.name) }, [["Marley", "Lassie"], ["Toto"], []])
      let free = realm.objects(Fifth.Pet.self).where { $0.owners.count == 0 }
      expectEqual(free.map(\.name), ["Slinkey"])
      try realm.write {
        people[2].pets.append(free[0])
        people[1].address = Fifth.Address(value: ["street": "High Street", "city": "Oxford"])
        people[0].pets.remove(at: 0)
      }
    }
    // The migration of another fixture file begins with its upgrade.
    for isFresh in [false, true] {
      let file = isFresh ? try self.file(try fixture("migration-example-v5")) : file
      file.configuration.objectTypes = [Sixth.Person.self]
      file.configuration.schemaVersion = 6
      file.configuration.migrationBlock = { migration, old in
        expectEqual(old, 5)
        migration.renameProperty(onType: "Person", from: "fullName", to: "name")
        migration.enumerateObjects(ofType: "Person") { old, new in
          guard let old, let new else { return }
          let pets = old.dynamicList("pets")
          new["petNames"] = pets.compactMap { $0["name"] as? String }
        }
      }
      let realm = try file.open()
      let people = realm.objects(Sixth.Person.self).sorted(by: \.age)
      expectEqual(people.map(\.name), ["John Doe", "Jane Doe", "John Smith"])
      expectEqual(
        people.map { $0.petNames.sorted() },
        (isFresh
          ? [["Lassie", "Marley"], ["Toto"], []] : [["Lassie"], ["Toto"], ["Slinkey"]]))
      try ReferenceReader.check(file.configuration)
    }
  }

  @Test func encryptedFilesAreUpgradedWithTheirKey() throws {
    let fixture = try fixture("sync-metadata-v6")
    let file = try file(fixture)
    file.configuration.objectTypes = [UserIdentity.self]
    let bytes = (0..<64).map { UInt8($0) &* 3 }
    let url = try #require(file.configuration.fileURL)
    try Data(fixture.encrypted(try #require(EncryptionKey(bytes)))).write(to: url)
    file.configuration.encryptionKey = Data(bytes.reversed())
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .invalidDatabase)
    file.configuration.encryptionKey = Data(bytes)
    for _ in 0..<2 {
      let realm = try file.open()
      try expectContents(realm, fixture)
      try realm.write { _ = realm.create(UserIdentity.self, value: ["id": "x"]) }
      let created = realm.objects(UserIdentity.self).where { $0.id == "x" }
      expectEqual(created.count, 1)
      try realm.write { realm.delete(created) }
    }
    // The copy from before has the same key.
    let copy = FormatBackups(of: url.path).path(format: 23)
    try expectEqual(
      DatabaseFile.openForInspection(path: copy, key: EncryptionKey(bytes)).formatVersion, 23)
  }

  @Test func seedsAndCompactionMeetUpgradedFiles() throws {
    let fixture = try fixture("test_upgrade_database_1000_23")
    let seed = try file(fixture)
    let file = try TemporaryRealm([])
    file.configuration.seedFilePath = seed.configuration.fileURL
    file.configuration.shouldCompactOnLaunch = { total, used in total >= used }
    let realm = try file.open()
    try expectContents(realm, fixture)
    try expectEqual(format(seed.configuration.fileURL), 23)
    let copy = file.directory.appendingPathComponent("copy.realm")
    try realm.writeCopy(toFile: copy)
    file.configuration.fileURL = copy
    try expectContents(try file.open(), fixture)
  }

  @Test func forReadingTheyNeedAnUpgrade() throws {
    for fixture in OldFixture.upgradable {
      let file = try file(fixture)
      file.configuration.readOnly = true
      let error = #expect(throws: Realm.Error.self) { try file.open() }
      expectEqual(error?.code, .fileFormatUpgradeRequired)
      expectEqual(
        error?.localizedDescription.contains(
          "Database upgrade required but prohibited. The file is in format \(fixture.format)."),
        true)
      try expectEqual(Data(contentsOf: #require(file.configuration.fileURL)), Data(fixture.bytes()))
    }
  }

  @Test func theirVersionIsToldWithoutAnUpgrade() throws {
    let file = try file(try fixture("migration-example-v5"))
    let url = try #require(file.configuration.fileURL)
    try expectEqual(schemaVersionAtURL(url), 5)
    try expectEqual(format(url), 20)
    try Realm.performMigration(for: file.configuration)
    try expectEqual(format(url), 24)
    try expectEqual(schemaVersionAtURL(url), 5)
  }

  @Test(arguments: [
    (1, "before 2016"), (4, "before 2016"), (5, "Realm Core 6 to 13"), (9, "Realm Core 6 to 13"),
    (12, "No release has ever written"), (19, "No release has ever written"),
    (25, "Update this one"), (200, "Update this one"),
  ])
  func otherFormatsAreRefusedWithARemedy(format: Int, remedy: String) throws {
    let fixture = try fixture("migration-example-v0")
    let file = try file(fixture)
    var bytes = Data(try fixture.bytes())
    bytes[20] = UInt8(format)
    bytes[21] = UInt8(format)
    try bytes.write(to: try #require(file.configuration.fileURL))
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .unsupportedFileFormatVersion)
    let text = error?.localizedDescription ?? ""
    #expect(
      text.contains("Database has an unsupported version (\(format)) and cannot be upgraded"))
    expectTrue(text.contains(remedy))
    try expectEqual(Data(contentsOf: #require(file.configuration.fileURL)), bytes)
  }

  /// `DatabaseFile+OlderFormats` 1.
  @Test("are upgraded once if two processes open them", arguments: 0..<2)
  func twoProcesses(round: Int) async throws {
    let fixture = try fixture("test_upgrade_database_1000_23")
    let file = try file(fixture)
    file.configuration.objectTypes = [SharedCounter.self]
    let path = try #require(file.configuration.fileURL).path
    let other = try OtherProcess()
    let flag = file.directory.appendingPathComponent("go-\(round)").path
    async let theirs = other.ask("open-at \(flag) \(path)")
    try await Task.sleep(for: .milliseconds(50))
    expectTrue(FileManager.default.createFile(atPath: flag, contents: nil))
    try await withRealm(file) { realm in try expectContents(realm, fixture) }
    try await expectEqual(theirs, "ok")
    try await other.ask("add 2 4")
    try await withRealm(file) { realm in
      expectEqual(realm.objects(SharedCounter.self).count, 1)
      try expectContents(realm, fixture)
    }
  }

  @MainActor
  private func withRealm(_ file: TemporaryRealm, _ body: (Realm) throws -> Void) throws {
    let realm = try file.open()
    realm.refresh()
    try body(realm)
  }
}
