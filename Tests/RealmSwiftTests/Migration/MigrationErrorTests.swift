// SPDX-License-Identifier: Apache-2.0

// Migrations that cannot be: what is said, and that the file stays as it was.

import Foundation
import RealmStorage
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@_spi(RealmTesting) @testable import RealmSwift

struct MigrationErrorTests {
  /// What a program said before it ended that renamed in a migration.
  private func expect(_ text: String, in result: ExitTest.Result?) {
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(said.contains(text), "said: \(said.prefix(400))")
  }

  /// The text of an open that fails and changes nothing.
  private func refusal(_ file: TemporaryRealm) throws -> String {
    let before = try contents(file)
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    try expectEqual(contents(file), before)
    return error.localizedDescription
  }

  private func contents(_ file: TemporaryRealm) throws -> String {
    let path = try #require(file.configuration.fileURL).path
    let database = try DatabaseFile.open(path: path)
    return "\(try ContentDump(TableGroup(database.snapshot())).json())"
  }

  @Test func equalPrimaryKeys() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge { _, _ in }
    try expectEqual(
      refusal(file), "Primary key property 'Reader.key' has duplicate values after migration."
    )
    file.becomeSecondAge { migration, version in
      MigrationTests.migrateAll(migration, version)
      migration.enumerateObjects(ofType: "Reader") { _, new in new?.key = "same" }
    }
    try expectEqual(
      refusal(file), "Primary key property 'Reader.key' has duplicate values after migration."
    )
    file.configuration.objectTypes = Age1.types
    file.configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Reader") { _, new in new?.id = 1 }
    }
    try expectEqual(
      refusal(file), "Primary key property 'Reader.id' has duplicate values after migration.")
    file.configuration.migrationBlock = { migration, _ in
      migration.enumerateObjects(ofType: "Reader") { old, new in
        new?.id = 4 - (old?.id as? Int ?? 0)
      }
    }
    let realm = try file.open()
    expectEqual(realm.object(ofType: Age1.Reader.self, forPrimaryKey: 1)?.name, "reader 3")
    try ReferenceReader.check(file.configuration)
  }

  @Test func aRenamedPropertyThatNobodyWants() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge { migration, version in
      MigrationTests.migrateAll(migration, version)
      migration.renameProperty(onType: "Reader", from: "id", to: "number")
    }
    try expectEqual(refusal(file), "Renamed property 'Reader.number' does not exist.")
  }

  @Test func aLowerVersion() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.configuration.schemaVersion = 5
    do { _ = try file.open() }
    file.configuration.schemaVersion = 4
    let refusal = try refusal(file)
    expectTrue(refusal.hasPrefix("Provided schema version 4 is less than last set version 5. "))
  }

  @Test func allDifferencesAreListed() throws {
    let file = try TemporaryRealm.ofFirstAge()
    file.becomeSecondAge(version: 0)
    #expect(
      try refusal(file).hasPrefix(
        """
        Migration is required due to the following errors:
        - Primary Key for class 'Novel' has been added.
        - Class 'Place' has been changed from top-level to embedded.
        - Property 'Reader.key' has been added.
        - Property 'Reader.fullName' has been added.
        - Property 'Reader.years' has been changed from 'string' to 'int'.
        - Property 'Reader.nick' has been made optional.
        - Property 'Reader.score' has been made required.
        - Property 'Reader.tags' has been made required.
        - Property 'Reader.books' has been changed from 'array<Novel>' to 'set<Novel>'.
        - Property 'Reader.added' has been added.
        - Property 'Reader.id' has been removed.
        - Property 'Reader.name' has been removed.
        - Primary Key for class 'Reader' has been changed from 'id' to 'key'.
        """))
  }

  @Test func renamingAnUnknownClass() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm.ofFirstAge()
      file.becomeSecondAge { migration, _ in
        migration.renameProperty(onType: "Nobody", from: "a", to: "b")
      }
      _ = try file.open()
    }
    expect("Cannot rename properties for type 'Nobody' because it does not exist.", in: result)
  }

  @Test func renamingARemovedClass() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm.ofFirstAge()
      file.becomeSecondAge { migration, _ in
        migration.renameProperty(onType: "Leftover", from: "number", to: "b")
      }
      _ = try file.open()
    }
    expect(
      "Cannot rename properties for type 'Leftover' because it has been removed from the Realm.",
      in: result)
  }

  @Test func renamingAPropertyThatIsStillThere() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm.ofFirstAge()
      file.becomeSecondAge { migration, _ in
        migration.renameProperty(onType: "Reader", from: "nick", to: "fullName")
      }
      _ = try file.open()
    }
    expect(
      "Cannot rename property 'Reader.nick' to 'fullName' because the source property still "
        + "exists.", in: result)
  }

  @Test func renamingAnUnknownProperty() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm.ofFirstAge()
      file.becomeSecondAge { migration, _ in
        migration.renameProperty(onType: "Reader", from: "nose", to: "fullName")
      }
      _ = try file.open()
    }
    expect("Cannot rename property 'Reader.nose' because it does not exist.", in: result)
  }

  @Test func renamingToAnotherType() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm.ofFirstAge()
      file.becomeSecondAge { migration, _ in
        migration.renameProperty(onType: "Reader", from: "name", to: "added")
      }
      _ = try file.open()
    }
    expect(
      "Cannot rename property 'Reader.name' to 'added' because it would change from type 'string' "
        + "to 'date'.", in: result)
  }

  @Test func migratingAnOpenFile() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm()
      let realm = try file.open()
      try Realm.performMigration(for: file.configuration)
      withExtendedLifetime(realm) {}
    }
    expect("Cannot migrate Realms that are already open.", in: result)
  }

  @Test func changingAnOldObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm.ofFirstAge()
      file.becomeSecondAge { migration, _ in
        migration.enumerateObjects(ofType: "Reader") { old, _ in old?.name = "x" }
      }
      _ = try file.open()
    }
    expect("Attempting to modify object outside of a write transaction", in: result)
  }

  @Test func linkingToAnOldObject() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm.ofFirstAge()
      file.becomeSecondAge { migration, _ in
        migration.enumerateObjects(ofType: "Reader") { old, new in new?.books = old?.books }
      }
      _ = try file.open()
    }
    expect("Object is already managed by another Realm.", in: result)
  }

  @Test func openingInTheMigration() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try TemporaryRealm.ofFirstAge()
      file.becomeSecondAge { [configuration = file.configuration] _, _ in
        _ = try? Realm(configuration: configuration)
      }
      _ = try file.open()
    }
    expect("cannot be opened in its own migration.", in: result)
  }

  @Test func readOnlyAndDeleting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var configuration = Realm.Configuration(readOnly: true)
      configuration.deleteRealmIfMigrationNeeded = true
      _ = try Realm(configuration: configuration)
    }
    expect("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.", in: result)
  }
}
