// SPDX-License-Identifier: Apache-2.0

// The file of a life, and how it is opened.

import Foundation
import RealmSwift

/// A file with its key, its schema version and the age of its classes.
struct LifeFile: Sendable {
  var url: URL
  var age = LifeAge.first
  var schemaVersion: UInt64 = 0
  var key: Data?
  var durability = Realm.Configuration.Durability.twoSyncs

  init(url: URL) { self.url = url }

  static let keys: [Data?] = [
    nil, Data((0..<64).map { UInt8($0) &+ 3 }), Data((0..<64).map { UInt8($0) &* 7 }),
  ]

  static let durabilities: [Realm.Configuration.Durability] = [.twoSyncs, .oneSync, .deferred]

  var configuration: Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: url, encryptionKey: key, schemaVersion: schemaVersion, objectTypes: age.classes.types
    )
    configuration.durability = durability
    return configuration
  }

  /// Becomes what a migration makes of it; the configuration that does it.
  mutating func migrate(_ migration: LifeMigration) -> Realm.Configuration {
    let old = age
    age = migration.age
    schemaVersion += 1
    var configuration = configuration
    if migration.hasBlock {
      configuration.migrationBlock = { run, _ in
        Self.perform(run, from: old, migration)
      }
    }
    return configuration
  }

  struct Refusal: Error {}

  /// A configuration whose migration ends with an error.
  func failing(_ migration: LifeMigration) -> Realm.Configuration {
    var file = self
    file.age = migration.age
    var configuration = file.configuration
    var migrator = RealmMigrator(initialVersion: schemaVersion)
    migrator.register("fails") { [age] run in
      Self.perform(run, from: age, migration)
      throw Refusal()
    }
    configuration.migrator = migrator
    return configuration
  }

  /// Does what `LifeVersion.migrate(from:_:)` says.
  private static func perform(
    _ migration: Migration, from old: LifeAge, _ plan: LifeMigration
  ) {
    let new = plan.age
    let (from, to) = (old.property("name"), new.property("name"))
    let isRenamed = plan.copies && from != to
    // An optional property cannot become one that is not.
    if isRenamed, old != .third {
      migration.renameProperty(onType: "Item", from: from, to: to)
    }
    migration.enumerateObjects(ofType: "Item") { before, after in
      guard let before, let after else { return }
      if isRenamed, old == .third { after[to] = before[from] as? String ?? "" }
      if plan.copies { copy(before, after, from: old, to: new) }
      if plan.deletes, after["kind"] as? Int == LifeMigration.deletedKind {
        migration.delete(after)
      }
    }
    if plan.adds {
      var ids: Set<Int> = []
      migration.enumerateObjects(ofType: "Item") { _, item in
        if let id = item?["id"] as? Int { ids.insert(id) }
      }
      let id = LifeMigration.addedItem
      if !ids.contains(id) { migration.create("Item", value: ["id": id, "kind": 1]) }
    }
    if plan.dropsNotes { migration.deleteData(forType: "Note") }
  }

  private static func copy(
    _ before: MigrationObject, _ after: MigrationObject, from old: LifeAge, to new: LifeAge
  ) {
    if old == .second, new != .second {
      after["rank"] = Int(before["rank"] as? String ?? "") ?? new.newLevel
    } else if old != .second, new == .second {
      after["rank"] = (before["rank"] as? Int).map { "\($0)" } ?? ""
    }
    if new.hasLoads, !old.hasLoads { after["weight"] = Double(before["kind"] as? Int ?? 0) }
  }
}
