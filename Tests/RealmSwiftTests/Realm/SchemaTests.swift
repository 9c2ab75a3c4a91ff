// SPDX-License-Identifier: Apache-2.0

import Foundation
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSession
@testable import RealmSwift

// The same class at several points of a program's life.
private enum First {
  class Book: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String
    @Persisted var pages: Int
    @Persisted var note: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum Second {
  class Book: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title: String?
    @Persisted var pages: String
    @Persisted var note: String?
    @Persisted var author: Author?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
  class Author: Object {
    @Persisted var name: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum Indexed {
  class Book: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var title: String
    @Persisted var pages: Int
    @Persisted var note: String?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

private enum Broken {
  class Empty: Object {
    var notStored = 1
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
  class BadKey: Object {
    @Persisted(primaryKey: true) var flag: Bool
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

struct SchemaTests {
  /// A file with one book of the first schema, closed.
  private func firstFile() throws -> TemporaryRealm {
    let file = try TemporaryRealm([First.Book.self])
    let realm = try file.open()
    try realm.write {
      realm.create(First.Book.self, value: ["id": 1, "title": "Dune", "pages": 412, "note": "x"])
    }
    return file
  }

  @Test func differencesWithoutAHigherVersionAreListed() throws {
    let file = try firstFile()
    file.configuration.objectTypes = [Second.Book.self, Second.Author.self]
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    expectEqual(error.code, .schemaMismatch)
    #expect(
      error.localizedDescription.hasPrefix(
        """
        Migration is required due to the following errors:
        - Property 'Book.title' has been made optional.
        - Property 'Book.pages' has been changed from 'int' to 'string'.
        - Property 'Book.author' has been added.
        """))
  }

  @Test func aHigherVersionBringsTheTablesInLine() throws {
    let file = try firstFile()
    file.configuration.objectTypes = [Second.Book.self, Second.Author.self]
    file.configuration.schemaVersion = 1
    do {
      let realm = try file.open()
      let book = try #require(realm.object(ofType: Second.Book.self, forPrimaryKey: 1))
      expectEqual(book.title, "Dune")
      expectEqual(book.pages, "")
      expectEqual(book.note, "x")
      expectEqual(book.author, nil)
      try realm.write {
        book.author = Second.Author(value: ["name": "Herbert"])
        book.title = nil
      }
      expectEqual(book.author?.name, "Herbert")
    }
    try ReferenceReader.check(file.configuration)
    file.configuration.schemaVersion = 0
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    #expect(
      error.localizedDescription.hasPrefix(
        "Provided schema version 0 is less than last set version 1. "))
  }

  @Test func indexesChangeWithoutAHigherVersion() throws {
    let file = try firstFile()
    for (types, isIndexed) in [([Indexed.Book.self], true), ([First.Book.self], false)]
      as [([ObjectBase.Type], Bool)]
    {
      file.configuration.objectTypes = types
      let realm = try file.open()
      let column = try realm.core.classes[types[0]].table.schema.column(named: "title")
      expectEqual(column?.isIndexed, isIndexed)
      expectEqual(realm.core.isInWrite, false)
    }
    try ReferenceReader.check(file.configuration)
  }

  @Test func removedPropertiesNeedAHigherVersion() throws {
    let file = try TemporaryRealm([Second.Book.self, Second.Author.self])
    do { _ = try file.open() }
    file.configuration.objectTypes = [First.Book.self]
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    expectTrue(error.localizedDescription.contains("- Property 'Book.author' has been removed."))
    file.configuration.schemaVersion = 3
    let realm = try file.open()
    expectTrue(realm.objects(First.Book.self).isEmpty)
    try expectEqual(realm.core.readableTables().schemaVersion(), 3)
  }

  @Test func mistakesInDeclarationsAreGathered() throws {
    let file = try TemporaryRealm([Broken.Empty.self, Broken.BadKey.self])
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    expectEqual(
      error.localizedDescription,
      """
      Schema validation failed due to the following errors:
      - Property 'flag' cannot be made the primary key of 'BadKey' because it is not a 'string', \
      'int', 'objectId', or 'uuid' property.
      - No properties are defined for 'Empty'. Did you remember to mark them with '@Persisted' \
      in your model?
      - Property 'Empty.notStored' is declared without @Persisted, and would not be stored: write \
      '@Persisted var notStored: Int', or return its name from 'ignoredProperties()'.
      """)
  }

  @Test func aLinkedClassMustBeInTheSchema() throws {
    let file = try TemporaryRealm([Person.self])
    let error = try #require(throws: Realm.Error.self) { _ = try file.open() }
    expectTrue(error.localizedDescription.hasPrefix("Invalid class subset list:\n- 'Person.best' "))
  }
}
