// SPDX-License-Identifier: Apache-2.0

// The snippets of the article "Migrations".

import Foundation
import RealmSwift
import RealmTestSupport
import Testing

enum FirstRelease {
  // snippet: migrations-before
  class Person: Object {
    @Persisted var firstName: String
    @Persisted var lastName: String
    @Persisted var years: Int
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end
}

enum ThirdRelease {
  // snippet: migrations-after
  class Person: Object {
    @Persisted var fullName: String  // In version 2: of two properties, one.
    @Persisted var age: Int?  // In version 3: another name, and optional.
    // snippet hide
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    // snippet show
  }
  // snippet end
}

struct MigrationSnippets {
  @Test func stepsThroughTheVersions() throws {
    let folder = try ArticleFolder()
    try writeTheFirstRelease(folder)

    typealias Person = ThirdRelease.Person
    let url = folder.url()
    // snippet: migrations-block
    var configuration = Realm.Configuration(fileURL: url, schemaVersion: 3)
    configuration.migrationBlock = { migration, oldVersion in
      if oldVersion < 2 {
        migration.enumerateObjects(ofType: "Person") { old, new in
          let first = old?["firstName"] as? String ?? ""
          let last = old?["lastName"] as? String ?? ""
          new?["fullName"] = "\(first) \(last)"
        }
      }
      if oldVersion < 3 {
        migration.renameProperty(onType: "Person", from: "years", to: "age")
      }
    }
    // snippet end
    configuration.objectTypes = [Person.self]
    // snippet: migrations-test
    let realm = try Realm(configuration: configuration)
    let ada = realm.objects(Person.self).where { $0.fullName == "Ada Lovelace" }.first
    #expect(ada?.age == 36)
    // snippet end
    #expect(try schemaVersionAtURL(url) == 3)
  }

  @Test func stepsHaveNames() throws {
    let folder = try ArticleFolder()
    try writeTheFirstRelease(folder)
    var configuration = folder.configuration([ThirdRelease.Person.self])
    // snippet: migrations-migrator
    var migrator = RealmMigrator(initialVersion: 1)  // Of the oldest files that are opened.
    migrator.register("join the names") { migration in
      migration.enumerateObjects(ofType: "Person") { old, new in
        let first = old?["firstName"] as? String ?? ""
        new?["fullName"] = "\(first) \(old?["lastName"] as? String ?? "")"
      }
    }
    migrator.register("call the years age") { migration in
      migration.renameProperty(onType: "Person", from: "years", to: "age")
    }
    configuration.migrator = migrator  // Sets the schema version, 3.
    // snippet end
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(ThirdRelease.Person.self).first?.fullName == "Ada Lovelace")
    #expect(realm.objects(ThirdRelease.Person.self).first?.age == 36)
  }

  private func writeTheFirstRelease(_ folder: ArticleFolder) throws {
    var configuration = folder.configuration([FirstRelease.Person.self])
    configuration.schemaVersion = 1
    let realm = try Realm(configuration: configuration)
    try realm.write {
      realm.create(
        FirstRelease.Person.self,
        value: ["firstName": "Ada", "lastName": "Lovelace", "years": 36])
    }
    realm.invalidate()
  }

  @Test func aMismatchSaysWhatToDo() throws {
    let folder = try ArticleFolder()
    try writeTheFirstRelease(folder)
    var configuration = folder.configuration([ThirdRelease.Person.self])
    configuration.schemaVersion = 1
    // snippet: migrations-mismatch
    do {
      _ = try Realm(configuration: configuration)
    } catch Realm.Error.schemaMismatch {
      print("The classes changed, and schemaVersion was not raised.")
      // snippet hide
      return
      // snippet show
    }
    // snippet end
    Issue.record("the file was opened")
  }

  @Test func cachesMayBeEmptied() throws {
    let folder = try ArticleFolder()
    try writeTheFirstRelease(folder)
    var configuration = folder.configuration([ThirdRelease.Person.self])
    // snippet: migrations-delete
    configuration.deleteRealmIfMigrationNeeded = true
    let realm = try Realm(configuration: configuration)
    // snippet end
    #expect(realm.isEmpty)
  }
}
