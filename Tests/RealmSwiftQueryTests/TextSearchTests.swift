// SPDX-License-Identifier: Apache-2.0

// Searching texts for words, by `where` and by strings.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

private final class Article: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: .fullText) var body: String
  @Persisted(indexed: .fullText) var note: String?
  @Persisted(indexed: .general) var title: String
  @Persisted var next: Article?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct TextSearchTests {
  private let words = ["swift", "data", "database", "java", "Café", "x"]

  private func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in
      words.randomElement(using: &random) ?? "x"
    }.joined(separator: ", ")
  }

  private func fill(_ realm: Realm, _ random: inout SeededGenerator) throws {
    try realm.write {
      for id in 0..<200 {
        let article = realm.create(Article.self, value: ["id": id])
        article.body = text(&random)
        article.note = random.chance(0.3) ? nil : text(&random)
        article.title = text(&random)
        article.next = realm.objects(Article.self).randomElement(using: &random)
      }
      for article in realm.objects(Article.self) where random.chance(0.2) {
        article.body = text(&random)
      }
      for article in Array(realm.objects(Article.self)) where random.chance(0.1) {
        realm.delete(article)
      }
    }
  }

  private func has(_ text: String?, _ all: [String], without: [String] = []) -> Bool {
    guard let text else { return false }
    let words = Set(text.lowercased().split(separator: ", ").map(String.init))
    func isThere(_ word: String) -> Bool {
      word.hasSuffix("*")
        ? words.contains { $0.hasPrefix(word.dropLast()) } : words.contains(word)
    }
    return all.allSatisfy(isThere) && !without.contains(where: isThere)
  }

  /// `cases/14`: the index keeps digits and Latin letters up to ÿ.
  @Test(arguments: [
    ("привет", false), ("γειά", false), ("東京", false), ("서울", false), ("سلام", false),
    ("привет мир", false), ("-привет", false), ("Łódź", true), ("cafe", true),
    ("привет cafe", true),
  ])
  func wordsOfOtherScripts(words: String, isFound: Bool) throws {
    let realm = try TemporaryRealm([Article.self]).open()
    try realm.write {
      realm.create(Article.self, value: ["id": 1, "body": "one \(words) two"])
    }
    let all = realm.objects(Article.self)
    expectEqual(all.where { $0.body.text(matching: words) }.count, isFound ? 1 : 0)
    expectEqual(all.filter("body TEXT %@", words).count, isFound ? 1 : 0)
    for condition in ["body TEXT %@", "id == 1 AND NOT next.body TEXT %@"] {
      let parsed = Result { try all.filter(parsing: condition, [words]).count }
      let query = Result { try Query(parsing: condition, [words], for: Article.self) }
      if isFound {
        try expectEqual(parsed.get(), 1)
        _ = try query.get()
      } else {
        #expect(throws: QueryParsingError.self) { try parsed.get() }
        #expect(throws: QueryParsingError.self) { try query.get() }
      }
    }
    // What has no words at all finds nothing.
    try expectEqual(all.filter(parsing: "body TEXT '* -'").count, 0)
  }

  @Test(arguments: RandomRuns.seeds(3)) func wordsAreFound(seed: UInt64) throws {
    let file = try TemporaryRealm([Article.self])
    let realm = try file.open()
    var random = SeededGenerator(seed: seed)
    try fill(realm, &random)
    let all = realm.objects(Article.self)
    func expect(
      _ results: Results<Article>, _ meaning: (Article) -> Bool,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let found = Array(results.map(\.id))
      let expected = Array(all).filter(meaning).map(\.id)
      #expect(found == expected, sourceLocation: sourceLocation)
      #expect(!expected.isEmpty, sourceLocation: sourceLocation)
      #expect(expected.count < all.count, sourceLocation: sourceLocation)
    }
    expect(all.where { $0.body.text(matching: "swift") }) { has($0.body, ["swift"]) }
    expect(all.where { $0.body.text(matching: "SWIFT data") }) { has($0.body, ["swift", "data"]) }
    expect(all.where { $0.note.text(matching: "data*") }) { has($0.note, ["data*"]) }
    expect(all.where { $0.note.text(matching: "data* -database") }) {
      has($0.note, ["data*"], without: ["database"])
    }
    expect(all.where { $0.body.text(matching: "cafe") }) { has($0.body, ["café"]) }
    expect(all.where { $0.body.text(matching: "-java") }) { has($0.body, [], without: ["java"]) }
    expect(all.where { !$0.body.text(matching: "swift") }) { !has($0.body, ["swift"]) }
    expect(all.where { $0.next.body.text(matching: "swift x") }) {
      has($0.next?.body, ["swift", "x"])
    }
    expect(all.filter("body TEXT %@ AND id < 100", "swift -java")) {
      has($0.body, ["swift"], without: ["java"]) && $0.id < 100
    }
    expect(all.filter("body TEXT 'swift' OR note TEXT 'dat*'")) {
      has($0.body, ["swift"]) || has($0.note, ["dat*"])
    }
    expect(all.where { $0.title.starts(with: "data") }) { $0.title.hasPrefix("data") }
    expect(all.where { $0.title.starts(with: "database, ") && $0.body.text(matching: "x") }) {
      $0.title.hasPrefix("database, ") && has($0.body, ["x"])
    }
    #expect(all.where { $0.body.text(matching: "") }.isEmpty)
  }

  @Test func resultsAreLive() throws {
    let realm = try TemporaryRealm([Article.self]).open()
    let found = realm.objects(Article.self).where { $0.body.text(matching: "swift") }
    let article = try realm.write {
      realm.create(Article.self, value: ["id": 1, "body": "All of Swift"])
    }
    expectEqual(found.count, 1)
    try realm.write { article.body = "Nothing" }
    expectTrue(found.isEmpty)
    try realm.write {
      article.body = "swift again"
      expectEqual(found.count, 1)
    }
    expectEqual(found.freeze().count, 1)
  }

  @Test func aPropertyWithoutIndexIsNotSearched() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([Article.self]).open()
      _ = realm.objects(Article.self).filter("title TEXT 'x'")
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(output.contains("Operator 'TEXT' needs a full-text index"), "\(output)")
  }
}
