// SPDX-License-Identifier: Apache-2.0

// Files that Realm Core wrote, opened by a program whose classes have changed since.

import Foundation
import RealmFormats
import RealmSwiftTestSupport
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

/// Some classes of `all-types.realm` as a later program declares them.
private enum Later {
  final class Collections: Object {
    @Persisted(primaryKey: true) var _id: ObjectId
    @Persisted var listInt: List<Int?>
    @Persisted var listOptString: List<String>
    @Persisted var listLink: List<NoKey>
    @Persisted var setOptUuid: MutableSet<UUID>
    @Persisted var setDate: MutableSet<Date?>
    @Persisted var dictOptDouble: Map<String, Double>
    @Persisted var dictBool: Map<String, Bool?>
    @Persisted var dictLink: Map<String, NoKey?>
    @Persisted var listBool: MutableSet<Bool>
    @Persisted var added: List<String>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class NoKey: Object {
    @Persisted(indexed: true) var value: Int?
    @Persisted(indexed: .fullText) var label: String
    @Persisted(originProperty: "listLink") var lists: LinkingObjects<Collections>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Article: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var title: String
    @Persisted var body: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static let types: [ObjectBase.Type] = [Collections.self, NoKey.self, Article.self]
}

@Suite("Coverage 16: migrations of Realm Core's files") struct FixtureMigrationTests {
  @Test func whatFitsIsKept() throws {
    let fixture = try #require(FixtureFile.all.first { $0.name == "all-types" })
    let file = try fixture.copy()
    let expected = try fixture.expected()
    file.configuration.objectTypes = Later.types
    let error = #expect(throws: Realm.Error.self) { try file.open() }
    expectEqual(error?.code, .schemaMismatch)
    file.configuration.schemaVersion = 8
    file.configuration.migrationBlock = { migration, version in
      expectEqual(version, 7)
      expectEqual(migration.oldSchema["Article"]?["body"]?.type, .string)
      migration.renameProperty(onType: "Article", from: "id", to: "number")
    }
    try check(file.open(), expected)
    // And again, from the file alone.
    file.configuration.migrationBlock = nil
    try check(file.open(), expected)
    try ReferenceReader.check(file.configuration)
  }

  private func check(_ realm: Realm, _ expected: FixtureContents) throws {
    let reader = FixtureReader()
    let collections = realm.objects(Later.Collections.self)
    expectEqual(collections.count, expected.rows["Collections"]?.count)
    for object in collections {
      let old = try #require(expected.rows["Collections"]?[object._key.rawValue])
      let values: [(String, any FixtureValue)] = [
        ("listInt", object.listInt), ("listOptString", object.listOptString),
        ("listLink", object.listLink), ("setOptUuid", object.setOptUuid),
        ("setDate", object.setDate), ("dictOptDouble", object.dictOptDouble),
        ("dictBool", object.dictBool), ("dictLink", object.dictLink),
      ]
      for (name, value) in values {
        let wanted = (old[name] ?? .null).withoutNulls(name.contains("Opt"))
        let differences = JSONValue.differences(expected: wanted, actual: value.json(reader))
        expectEqual(differences, [], "\(object._id) \(name)")
      }
      expectTrue(object.listBool.isEmpty)
      expectTrue(object.added.isEmpty)
    }
    for object in realm.objects(Later.NoKey.self) {
      let old = try #require(expected.rows["NoKey"]?[object._key.rawValue])
      expectEqual(old["value"]?.integer, object.value.map { Int64($0) })
      expectEqual(old["label"]?.string ?? "", object.label)
    }
    let first = try #require(collections.first { !$0.listLink.isEmpty }?.listLink.first)
    expectFalse(first.lists.isEmpty)
    let value = try #require(first.value)
    let found = realm.objects(Later.NoKey.self).where { $0.value == value }
    #expect(found.contains { $0.isSameObject(as: first) })
    let articles = realm.objects(Later.Article.self)
    expectEqual(articles.count, 120)
    expectEqual(articles.where { $0.title == "Article 7" }.count, 1)
    expectEqual(realm.object(ofType: Later.Article.self, forPrimaryKey: 7)?.title, "Article 7")
  }
}

extension JSONValue {
  /// The value without the elements, or entries, that are null.
  fileprivate func withoutNulls(_ isWanted: Bool) -> JSONValue {
    guard isWanted else { return self }
    return .array(elements.filter { $0 != .null && $0.elements.last != .null })
  }
}
