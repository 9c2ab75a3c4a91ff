// SPDX-License-Identifier: Apache-2.0

// Named migrations: which steps run, in which order, and what a failure leaves.

import Foundation
import RealmSwiftTestSupport
import Synchronization
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

struct RealmMigratorTests {
  private final class Journal: Sendable {
    private let names = Mutex<[String]>([])
    func note(_ name: String) { names.withLock { $0.append(name) } }
    func take() -> [String] {
      names.withLock { names in
        defer { names = [] }
        return names
      }
    }
  }

  private struct Refusal: Error {}

  private func migrator(
    _ names: [String], from version: UInt64 = 0, _ journal: Journal, failing: String? = nil
  ) -> RealmMigrator {
    var migrator = RealmMigrator(initialVersion: version)
    for name in names {
      let step: RealmMigrator.Step = { migration in
        journal.note(name)
        migration.enumerateObjects(ofType: "Dog") { _, dog in
          dog?["name"] = "\(dog?["name"] as? String ?? "") \(name)"
        }
        if name == failing { throw Refusal() }
      }
      migrator.register(name, migrate: step)
    }
    return migrator
  }

  private func fileWithADog() throws -> TemporaryRealm {
    let file = try TemporaryRealm([Person.self, Dog.self])
    let realm = try file.open()
    try realm.write { realm.create(Dog.self, value: ["name": "Rex"]) }
    return file
  }

  @Test func eachStepRunsOnceInOrder() throws {
    let file = try fileWithADog()
    let url = try #require(file.configuration.fileURL)
    let journal = Journal()
    let first = migrator(["one", "two"], journal)
    try expectEqual(first.pendingNames(ofFileAt: url), ["one", "two"])
    file.configuration.migrator = first
    expectEqual(file.configuration.schemaVersion, 2)
    do { try expectEqual(file.open().objects(Dog.self).first?.name, "Rex one two") }
    expectEqual(journal.take(), ["one", "two"])
    do { _ = try file.open() }
    expectTrue(journal.take().isEmpty)
    let more = migrator(["one", "two", "three"], journal)
    expectEqual(more.names, ["one", "two", "three"])
    try expectEqual(more.pendingNames(ofFileAt: url), ["three"])
    file.configuration.migrator = more
    do { try expectEqual(file.open().objects(Dog.self).first?.name, "Rex one two three") }
    expectEqual(journal.take(), ["three"])
    try expectEqual(schemaVersionAtURL(url), 3)
    #expect(try more.pendingNames(ofFileAt: url).isEmpty)
  }

  @Test func newFilesNeedNoSteps() throws {
    let file = try TemporaryRealm([Person.self, Dog.self])
    let url = try #require(file.configuration.fileURL)
    let journal = Journal()
    let migrator = migrator(["one", "two"], journal)
    #expect(try migrator.pendingNames(ofFileAt: url).isEmpty)
    file.configuration.migrator = migrator
    _ = try file.open()
    expectTrue(journal.take().isEmpty)
    try expectEqual(schemaVersionAtURL(url), 2)
  }

  @Test func aStepThatThrowsLeavesTheFileAsItWas() throws {
    let file = try fileWithADog()
    let url = try #require(file.configuration.fileURL)
    let journal = Journal()
    file.configuration.migrator = migrator(["one", "two", "three"], journal, failing: "two")
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .fail)
    expectEqual(error?.localizedDescription.contains("Migration 'two'"), true)
    expectEqual(error?.localizedDescription.contains("Refusal"), true)
    expectEqual(journal.take(), ["one", "two"])
    try expectEqual(schemaVersionAtURL(url), 0)
    file.configuration.migrator = migrator(["one", "two", "three"], journal)
    try expectEqual(file.open().objects(Dog.self).first?.name, "Rex one two three")
  }

  @Test func filesThatAreTooOldAreRefused() throws {
    let file = try fileWithADog()
    let url = try #require(file.configuration.fileURL)
    let journal = Journal()
    let migrator = migrator(["four"], from: 3, journal)
    expectEqual(migrator.initialVersion, 3)
    expectEqual(migrator.schemaVersion, 4)
    #expect(throws: Realm.Error.self) { try migrator.pendingNames(ofFileAt: url) }
    file.configuration.migrator = migrator
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .schemaMismatch)
    expectEqual(error?.localizedDescription.contains("an older release"), true)
    expectTrue(journal.take().isEmpty)
    try expectEqual(schemaVersionAtURL(url), 0)
  }

  @Test func contradictionsAreRefused() async {
    await #expect(processExitsWith: .success) {
      let twice = Traps.text {
        var migrator = RealmMigrator()
        migrator.register("one") { _ in }
        migrator.register("one") { _ in }
      }
      expectEqual(twice, "There is a migration 'one' already.")
      let both = Traps.text {
        let file = try TemporaryRealm([Dog.self, Person.self])
        file.configuration.migrator = RealmMigrator()
        file.configuration.migrationBlock = { _, _ in }
        _ = try file.open()
      }
      expectEqual(both, "Cannot set `migrationBlock` when `migrator` is set.")
      let version = Traps.text {
        let file = try TemporaryRealm([Dog.self, Person.self])
        file.configuration.migrator = RealmMigrator(initialVersion: 2)
        file.configuration.schemaVersion = 3
        _ = try file.open()
      }
      expectTrue(version.hasPrefix("The schema version is 3, and the migrator leads to 2."))
    }
  }
}
