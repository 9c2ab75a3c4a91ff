// SPDX-License-Identifier: Apache-2.0

// Models that declare `Codable`, and collections in other formats.

import Foundation
import RealmSwiftTestSupport
import TestExtensions
import Testing

@testable import RealmSwift

struct CodableTests {
  final class Recipe: Object, Codable {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted(indexed: true) var name: String
    @Persisted var servings = 4
    @Persisted var rating: Double?
    @Persisted var cooked: Date?
    @Persisted var photo: Data
    @Persisted var price: Decimal128
    @Persisted var level: Level
    @Persisted var tags: MutableSet<String>
    @Persisted var steps: List<Step>
    @Persisted var amounts: Map<String, Int?>
    @Persisted var main: Step?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Step: Object, Codable {
    @Persisted var text: String
    @Persisted var minutes: Int?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  enum Level: String, PersistableEnum, Codable { case easy, hard }

  private static let document = """
    {"amounts":{"egg":2,"salt":null},"cooked":12.5,"id":"507f1f77bcf86cd799439011","level":"hard",\
    "main":{"minutes":3,"text":"stir"},"name":"Cake","photo":"AQI=","price":"1.5","rating":4.5,\
    "servings":6,"steps":[{"minutes":null,"text":"mix"},{"minutes":7,"text":"bake"}],\
    "tags":["sweet"]}
    """

  private func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    return decoder
  }

  private func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.dateEncodingStrategy = .secondsSince1970
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Each kind of search index, each combination with what else a field knows.
  final class Article: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: .fullText) var text = "a"
    @Persisted(indexed: .fullText) var summary: String?
    @Persisted(indexed: .general) var author: String
    @Persisted(indexed: true) var year: Int

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func anIndexDoesNotKeepAnObjectFromBeingEncoded() throws {
    let article = Article()
    let document = #"{"author":"","id":0,"summary":null,"text":"a","year":0}"#
    try expectEqual(encoded(article), document)
    let decoded = try decoder().decode(Article.self, from: Data(document.utf8))
    try expectEqual(encoded(decoded), document)
    let file = try TemporaryRealm([Article.self])
    let realm = try file.open()
    try realm.write { realm.add(decoded) }
    #expect(throws: EncodingError.self) { try encoded(decoded) }
    expectEqual(realm.objects(Article.self).where { $0.text.text(matching: "a") }.count, 1)
  }

  /// `PersistedFlags` 1.
  @Test func theFlagsOfAFieldAreDistinct() {
    let flags: [PersistedFlags] = [
      .indexed, .primaryKey, .fullText, .deleteRules, .assigned, .managed,
    ]
    var all: PersistedFlags = []
    for flag in flags {
      expectFalse(flag.isEmpty)
      expectTrue(all.isDisjoint(with: flag))
      all.formUnion(flag)
    }
    for rule in DeleteRule.allCases {
      expectTrue(PersistedFlags.deleteRules.isSuperset(of: PersistedFlags(rule)))
      expectEqual(all.subtracting(.deleteRules).union(PersistedFlags(rule)).deleteRule, rule)
    }
  }

  @Test func decimalsAreEncodedAsTheirStrings() throws {
    let price = Decimal128(string: "1.50")
    try expectEqual(encoded([price]), #"["1.5"]"#)
  }

  @Test func documentsComeBackAsTheyWere() throws {
    let recipe = try decoder().decode(Recipe.self, from: Data(Self.document.utf8))
    expectEqual(recipe.name, "Cake")
    expectEqual(recipe.servings, 6)
    expectEqual(recipe.rating, 4.5)
    expectEqual(recipe.cooked, Date(timeIntervalSince1970: 12.5))
    expectEqual(recipe.photo, Data([1, 2]))
    expectEqual(recipe.level, .hard)
    expectEqual(Array(recipe.tags), ["sweet"])
    expectEqual(recipe.steps.map(\.text), ["mix", "bake"])
    expectEqual(recipe.main?.minutes, 3)
    expectEqual(recipe.amounts.keys, ["egg", "salt"])
    expectEqual(recipe.amounts["salt"], .some(nil))
    try expectEqual(encoded(recipe), Self.document)
    let realm = try TemporaryRealm([Recipe.self, Step.self]).open()
    try realm.write { realm.add(recipe) }
    let found = try #require(
      realm.object(ofType: Recipe.self, forPrimaryKey: ObjectId("507f1f77bcf86cd799439011")))
    expectEqual(found.steps.map(\.minutes), [nil, 7])
    expectEqual(found.main?.text, "stir")
  }

  @Test func missingOptionalsAreNil() throws {
    let step = try decoder().decode(Step.self, from: Data(#"{"text": "x"}"#.utf8))
    expectTrue(step.minutes == nil)
    expectEqual(step.text, "x")
    #expect(throws: DecodingError.self) {
      try decoder().decode(Step.self, from: Data(#"{"minutes": 1}"#.utf8))
    }
  }

  @Test func nullIsNoValueOfAnotherType() throws {
    let error = #expect(throws: DecodingError.self) {
      try decoder().decode(Step.self, from: Data(#"{"text": null}"#.utf8))
    }
    guard case .typeMismatch(_, let context) = try #require(error) else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    expectEqual(context.debugDescription, "Cannot convert nil to String")
  }

  /// `Persisted+Codable` 1.
  @Test func managedObjectsAreNotEncodedByTheCompilersCode() throws {
    let file = try TemporaryRealm([Recipe.self, Step.self])
    let realm = try file.open()
    let added = Step(value: ["text": "a"])
    let created = try realm.write {
      realm.add(added)
      return realm.create(Step.self, value: ["text": "b"])
    }
    let found = try #require(realm.objects(Step.self).first)
    for step in [added, created, found, found.freeze()] {
      let error = #expect(throws: EncodingError.self) { try encoded(step) }
      guard case .invalidValue(_, let context) = try #require(error) else { return }
      expectEqual(
        context.debugDescription,
        "Only unmanaged Realm objects can be encoded using automatic Codable synthesis. You "
          + "must explicitly define encode(to:) on your model class to support managed Realm "
          + "objects. 'ObjectSnapshot(object)' encodes any object, with the same keys.")
    }
    try expectEqual(encoded(Step(value: found)), #"{"minutes":null,"text":"a"}"#)
  }

  @Test func managedCollectionsAreEncoded() throws {
    let realm = try TemporaryRealm.ofShelves().open()
    let shelf = try realm.write {
      realm.create(
        Shelf.self,
        value: ["id": 1, "tags": ["b", "a"], "scores": ["x": 1], "weights": ["y": nil]])
    }
    try expectEqual(encoded(shelf.tags), #"["a","b"]"#)
    try expectEqual(encoded(shelf.scores), #"{"x":1}"#)
    try expectEqual(encoded(shelf.weights), #"{"y":null}"#)
    try expectEqual(encoded(shelf.tags.sorted(ascending: false)), #"["b","a"]"#)
    try expectEqual(encoded(AnyRealmCollection(shelf.tags)), #"["a","b"]"#)
    try expectEqual(encoded(shelf.scores.freeze()), #"{"x":1}"#)
  }

  @Test func collectionsOfDatesUseTheStrategy() throws {
    let list = List<Date?>()
    list.append(objectsIn: [Date(timeIntervalSince1970: 1), nil])
    try expectEqual(encoded(list), "[1,null]")
    let back = try decoder().decode(List<Date?>.self, from: Data("[1,null]".utf8))
    expectEqual(back, list)
    let map = try decoder().decode(Map<String, Date>.self, from: Data(#"{"a": 2}"#.utf8))
    expectEqual(map["a"], Date(timeIntervalSince1970: 2))
    let set = try decoder().decode(MutableSet<Int>.self, from: Data("[3,3,4]".utf8))
    expectEqual(set.count, 2)
  }
}
