// SPDX-License-Identifier: Apache-2.0

// What strings say beyond comparisons of properties: brackets and arithmetic.

import Foundation
import RealmSwiftTestSupport
import RealmTestSupport
import TestExtensions
import Testing

@_spi(RealmTesting) @testable import RealmSwift

private final class Sheet: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var a = 0
  @Persisted var b: Int?
  @Persisted var price = 0.0
  @Persisted var names: List<String>
  @Persisted var prices: Map<String, Int>
  @Persisted var pages: List<Sheet>
  @Persisted var chapters: Map<String, Sheet?>
  @Persisted var any: AnyRealmValue
  @Persisted var next: Sheet?
  @Persisted var isOn: Bool

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class Binder: Object {
  @Persisted var sheets: List<Sheet>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct QueryStringTests {
  private let file: TemporaryRealm
  private let realm: Realm

  init() throws {
    file = try TemporaryRealm([Sheet.self])
    realm = try file.open()
    var random = SeededGenerator(seed: 20)
    let realm = realm
    try realm.write {
      let sheets = (0..<60).map { realm.create(Sheet.self, value: ["id": $0]) }
      for sheet in sheets {
        sheet.a = Int.random(in: -4...4, using: &random)
        sheet.b = random.chance(0.3) ? nil : Int.random(in: -4...4, using: &random)
        sheet.price = Double(Int.random(in: 0...8, using: &random)) / 4
        for _ in 0..<Int.random(in: 0...3, using: &random) {
          sheet.names.append(["x", "y", "z"].randomElement(using: &random) ?? "x")
          if let page = sheets.randomElement(using: &random) { sheet.pages.append(page) }
          let key = ["a", "b"].randomElement(using: &random) ?? "a"
          sheet.prices[key] = Int.random(in: 0...3, using: &random)
          sheet.chapters[key] = sheets.randomElement(using: &random)
        }
        sheet.next = random.chance(0.5) ? sheets.randomElement(using: &random) : nil
        switch Int.random(in: 0..<4, using: &random) {
        case 0: sheet.any = .int(sheet.a)
        case 1: sheet.any = .fromArray([.int(sheet.a), .string("x"), .fromArray([.int(1)])])
        case 2:
          sheet.any = .fromDictionary([
            "a": .int(sheet.a), "list": .fromArray([.int(2), .string("y")]),
          ])
        default: sheet.any = .none
        }
      }
    }
  }

  private func expect(
    _ format: String, _ args: Any..., meaning: (Sheet) -> Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let all = realm.objects(Sheet.self)
    let found = Array(all.filter(NSPredicate(format: format, argumentArray: args)).map(\.id))
    let expected = Array(all).filter(meaning).map(\.id)
    #expect(found == expected, "\(format)", sourceLocation: sourceLocation)
    #expect(!expected.isEmpty, "\(format)", sourceLocation: sourceLocation)
    #expect(expected.count < 60, "\(format)", sourceLocation: sourceLocation)
  }

  @Test func elementsOfLists() {
    expect("names[0] == 'x'") { $0.names.first == "x" }
    expect("names[1] == nil") { $0.names.count < 2 }
    expect("names[FIRST] == 'y' OR names[LAST] == 'y'") {
      $0.names.first == "y" || $0.names.last == "y"
    }
    expect("ANY names[*] == 'z'") { $0.names.contains("z") }
    expect("names[%@] == %@", 2, "x") { $0.names.count > 2 && $0.names[2] == "x" }
    expect("pages[0].a > 0") { $0.pages.first.map { $0.a > 0 } ?? false }
    expect("pages[LAST].next == nil") { $0.pages.last?.next == nil }
    expect("next.names[0] == 'x'") { $0.next?.names.first == "x" }
    expect("pages[0] == %@", realm.objects(Sheet.self)[7]) { $0.pages.first?.id == 7 }
  }

  @Test func valuesOfMaps() {
    expect("prices['a'] > 1") { ($0.prices["a"] ?? 0) > 1 }
    expect("prices[%@] == nil", "b") { $0.prices["b"] == nil }
    expect("prices.@allKeys == 'a'") { $0.prices.keys.contains("a") }
    expect("'b' IN prices.@allKeys") { $0.prices.keys.contains("b") }
    expect("ANY prices.@allValues == 3") { $0.prices.values.contains(3) }
    expect("ANY prices == 3") { $0.prices.values.contains(3) }
    expect("prices.@count == 2") { $0.prices.count == 2 }
    expect("prices.@max >= 2") { ($0.prices.values.max() ?? 0) >= 2 }
    expect("chapters['a'].a < 0") { $0.chapters["a"].map { ($0?.a ?? 0) < 0 } ?? false }
    expect("ANY chapters.a == 4") { $0.chapters.values.contains { $0?.a == 4 } }
  }

  @Test func insideOfValuesOfAnyType() {
    func list(_ sheet: Sheet) -> List<AnyRealmValue>? { sheet.any.listValue }
    func map(_ sheet: Sheet) -> Map<String, AnyRealmValue>? { sheet.any.dictionaryValue }
    expect("any[0] > 0") { (list($0)?.first?.intValue ?? 0) > 0 }
    expect("any['a'] < 0") { (map($0)?["a"]?.intValue ?? 0) < 0 }
    expect("any['list'][LAST] == 'y'") { map($0) != nil }
    expect("any[2][0] == 1") { list($0) != nil }
    expect("any[*] == 'x'") { list($0) != nil }
    expect("any[%K] == 'x'", "#any") { list($0) != nil }
    expect("any.@count == 3") { list($0) != nil }
    expect("any.@allKeys == 'list'") { map($0) != nil }
    expect("any == nil") { $0.any == .none }
    expect("any.@type == 'int'") { $0.any.intValue != nil }
    expect("any.@type IN {'list', 'dictionary'}") { list($0) != nil || map($0) != nil }
    expect("any[1].@type == 'string'") { list($0) != nil }
    let all = realm.objects(Sheet.self)
    expectEqual(
      all.where { $0.any["list"][0] == .int(2) }.count, Array(all).filter { map($0) != nil }.count)
    expectEqual(
      all.where { $0.any.any == .string("x") }.count, Array(all).filter { list($0) != nil }.count)
  }

  @Test func arithmetic() {
    expect("a + b > 3") { sheet in sheet.b.map { sheet.a + $0 > 3 } ?? false }
    expect("a * 2 - 1 == b") { $0.a * 2 - 1 == $0.b }
    expect("(a + 1) * (a - 1) >= 8") { ($0.a + 1) * ($0.a - 1) >= 8 }
    expect("price * 4 == 3") { $0.price * 4 == 3 }
    expect("price / 2 < 0.5 AND (a) > 0") { $0.price / 2 < 0.5 && $0.a > 0 }
    expect("3 - a < b") { sheet in sheet.b.map { 3 - sheet.a < $0 } ?? false }
    expect("10 > a * a") { 10 > $0.a * $0.a }
    expect("names.@count * 2 == a") { $0.names.count * 2 == $0.a }
    expect("a + %@ IN {1, 2}", 1) { [1, 2].contains($0.a + 1) }
    expect("a - 1 BETWEEN {0, 2}") { (0...2).contains($0.a - 1) }
    expect("prices['a'] + prices['b'] >= 4") {
      guard let a = $0.prices["a"], let b = $0.prices["b"] else { return false }
      return a + b >= 4
    }
    expect("ANY pages.a * 2 > 6") { $0.pages.contains { $0.a * 2 > 6 } }
  }

  @Test func remaindersAndSigns() {
    expect("a %% 2 == 1") { $0.a % 2 == 1 }
    expect("-a > 1") { -$0.a > 1 }
    expect("-(a + b) < -2") { sheet in sheet.b.map { -(sheet.a + $0) < -2 } ?? false }
    expect("names[SIZE] == 2") { $0.names.count == 2 }
  }

  @Test func optionsOfMembership() {
    expect("names[0] IN[c] {'X', 'Y'}") { ["x", "y"].contains($0.names.first) }
    expect("names[0] IN[c] %@", ["X", nil] as [String?]) {
      $0.names.isEmpty || $0.names.first == "x"
    }
    expect("ANY names IN[c] {'X', 'Y'}") { !$0.names.filter("self IN {'x', 'y'}").isEmpty }
    expect("NONE names IN[cd] {'X́'}") { !$0.names.contains("x") }
    expect("ALL names IN[c] {'X', 'Y'}") { $0.names.allSatisfy { ["x", "y"].contains($0) } }
    expect("'Z' IN[c] names") { $0.names.contains("z") }
    expect("NOT %@ IN[c] names", "Z") { !$0.names.contains("z") }
  }

  @Test func rangesOfElementsAndArguments() {
    expect("ALL pages.a BETWEEN {-2, 4}") { $0.pages.allSatisfy { (-2...4).contains($0.a) } }
    expect("NONE pages.a BETWEEN {3, 4}") { !$0.pages.contains { (3...4).contains($0.a) } }
    expect("ANY pages.b BETWEEN %@", -1...0) {
      $0.pages.contains { $0.b.map { (-1...0).contains($0) } ?? false }
    }
    expect("ALL prices.@values BETWEEN %@", 1..<3) {
      $0.prices.values.allSatisfy { (1..<3).contains($0) }
    }
    expect("a BETWEEN %@", 0...2) { (0...2).contains($0.a) }
    expect("a IN %@", -1_000_000_000...1) { $0.a <= 1 }
    expect("price BETWEEN %@", 0.25..<1.0) { (0.25..<1).contains($0.price) }
    expect("price IN %@", 0.25...1.0) { (0.25...1).contains($0.price) }
    expect("price IN %@", 0...1) { [0, 1].contains($0.price) }
    expect("b BETWEEN (%d, %d)", 0, 2) { $0.b.map { (0...2).contains($0) } ?? false }
  }

  @Test func subqueriesWithinSubqueriesAndOfValues() {
    expect("SUBQUERY(pages, $p, SUBQUERY($p.pages, $q, $q.a > 0).@count > 1).@count > 0") {
      $0.pages.contains { $0.pages.filter { $0.a > 0 }.count > 1 }
    }
    expect(
      "SUBQUERY(pages, $p, $p.a < 0 AND SUBQUERY($p.next.pages, $q, "
        + "SUBQUERY($q.names, $n, $n == 'x').@count > 0).@count == 0).@count > 0"
    ) {
      $0.pages.contains { page in
        page.a < 0 && !(page.next?.pages.contains { $0.names.contains("x") } ?? false)
      }
    }
    expect("SUBQUERY(names, $n, $n > 'x' AND $n != 'z').@count == 1") {
      $0.names.filter { $0 == "y" }.count == 1
    }
    expect("SUBQUERY(prices, $p, $p * 2 > 3).@count >= 1") {
      $0.prices.values.contains { $0 * 2 > 3 }
    }
    expect("SUBQUERY(next.names, $n, $n ==[c] 'X').@count BETWEEN {1, 2}") {
      let count = $0.next.map { Array($0.names).filter { $0 == "x" }.count } ?? 0
      return (1...2).contains(count)
    }
  }

  @Test func argumentsThatNobodyAsksFor() {
    expect("a > %d", 0, 7, "more") { $0.a > 0 }
    expect("a > $1 AND isOn == $3", 7, 0, "between", false) { $0.a > 0 && !$0.isOn }
    expectEqual(realm.objects(Sheet.self).filter("TRUEPREDICATE", 1).count, 60)
  }

  @Test func argumentsOfAllNumberAndTextTypes() {
    expect("a == %@ OR a == %@", NSNumber(value: 1), NSNumber(value: 2.0)) {
      [1, 2].contains($0.a)
    }
    expect("a IN %@", [UInt8(1), UInt8(2)]) { [1, 2].contains($0.a) }
    expect("a > %u", UInt(1)) { $0.a > 1 }
    expect("price > %f", CGFloat(0.5)) { $0.price > 0.5 }
    expect("price == %@", Decimal(0.25)) { $0.price == 0.25 }
    expect("ANY names == %@", "x" as NSString) { $0.names.contains("x") }
    expect("ANY names == %@", "x y".prefix(1)) { $0.names.contains("x") }
    expect("ANY names IN %@", NSSet(array: ["x", "y"])) {
      $0.names.contains("x") || $0.names.contains("y")
    }
    expect("b == %@", NSNull()) { $0.b == nil }
  }

  @Test func keyPathArguments() {
    expect("%K > 0", "pages[0].a") { $0.pages.first.map { $0.a > 0 } ?? false }
    expect("%K > 1", "prices['a']") { ($0.prices["a"] ?? 0) > 1 }
    expect("%K == nil", "self.next.b") { $0.next?.b == nil }
    expect("pages.@max.%K > 3", "a") { $0.pages.contains { $0.a > 3 } }
    expect("%K > 3", "pages.@max.a") { $0.pages.contains { $0.a > 3 } }
  }

  @Test func typesOfValues() throws {
    expect("any.@type == 'collection'") { $0.any.listValue != nil || $0.any.dictionaryValue != nil }
    expect("any.@type != 'collection'") { $0.any.listValue == nil && $0.any.dictionaryValue == nil }
    expect("any.@type IN {'numeric', 'null'}") { $0.any.intValue != nil || $0.any == .none }
    expect("NOT any.@type IN {'numeric', 'null'}") { $0.any.intValue == nil && $0.any != .none }
    expect("any[*].@type == 'collection'") {
      $0.any.listValue != nil || $0.any.dictionaryValue != nil
    }
    expect("ALL any[*].@type IN {'numeric', 'collection'} AND any.@type == 'collection'") {
      $0.any.dictionaryValue != nil
    }
    expect("NONE any[*].@type == 'string'") { $0.any.listValue == nil }
    let list = try #require(realm.objects(Sheet.self).compactMap(\.any.listValue).first)
    expectEqual(Array(list.filter("self.@type == 'string'")), [.string("x")])
    expectEqual(list.filter("self.@type != 'numeric'").count, 2)
    expectEqual(list.filter("self.@type IN {'numeric', 'collection'}").count, 2)
  }

  @Test func longNumbersAreExactBesideDecimals() throws {
    let all = realm.objects(Sheet.self)
    let sheet = try #require(all.first)
    try realm.write { sheet.any = .decimal128("12345678901234567890.5") }
    expectEqual(all.filter("any == 12345678901234567890.5").first, sheet)
    expectEqual(all.filter("any > 12345678901234567890").first, sheet)
    expectTrue(all.filter("any > 12345678901234567891").isEmpty)
    expectEqual(all.filter("price < 12345678901234567890").count, 60)
  }

  @Test func objectsOfFrozenRealms() throws {
    let all = realm.objects(Sheet.self)
    let frozen = all.freeze()
    let next = try #require(all.first { $0.next != nil }?.next)
    let count = Array(all).filter { $0.next == next }.count
    expectEqual(all.filter("next == %@", next.freeze()).count, count)
    expectEqual(frozen.where { $0.next == next }.count, count)
    expectEqual(all.filter("next IN %@", frozen.filter("id == %@", next.id)).count, count)
    let added = try realm.write { realm.create(Sheet.self, value: ["id": 100]) }
    expectTrue(frozen.filter("next == %@ OR self == %@", added, added).isEmpty)
  }

  @Test func predicatesAreEvaluatedWithObjects() {
    let predicate = NSPredicate(format: "a > %d AND ANY pages.next.a < 3 SORT(a ASC)", 0)
    let both = NSCompoundPredicate(notPredicateWithSubpredicate: predicate)
    let all = realm.objects(Sheet.self)
    let found = Set(all.filter(predicate).map(\.id))
    for sheet in all {
      expectEqual(predicate.evaluate(with: sheet), found.contains(sheet.id))
      expectTrue(both.evaluate(with: sheet.freeze()) != found.contains(sheet.id))
    }
    expectFalse(found.isEmpty)
    expectTrue(found.count < 60)
  }

  @Test func predicatesThatAreAlwaysTrueOrFalse() {
    let all = realm.objects(Sheet.self)
    expectEqual(all.filter(NSPredicate(value: true)).count, 60)
    expectTrue(all.filter(NSPredicate(value: false)).isEmpty)
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "SORT(id DESC)"), NSPredicate(value: true),
    ])
    expectEqual(all.filter(both).first?.id, 59)
    expectTrue(all.filter("SORT(id DESC) LIMIT(2)").map(\.id).elementsEqual([59, 58]))
  }

  @Test func textsOfMisuse() async {
    await #expect(processExitsWith: .success) {
      expectEqual(
        Traps.text { _ = NSPredicate(format: "a > 1").evaluate(with: Sheet()) },
        "A predicate made from a format can only filter collections of a Realm, and be "
          + "evaluated with its objects.")
      for (format, text) in QueryStringMisuse.texts {
        let found = Traps.text {
          _ = try TemporaryRealm([Sheet.self]).open().objects(Sheet.self).filter(format)
        }
        expectTrue(found.hasPrefix(text), "\(found)")
        expectTrue(found.contains("n: \(format)"), "\(found)")
      }
      expectEqual(
        Traps.text {
          let realm = try TemporaryRealm([Sheet.self, Binder.self]).open()
          let binder = try realm.write { realm.create(Binder.self) }
          _ = realm.objects(Sheet.self).filter("ANY pages == %@", binder)
        },
        "Cannot compare value 'Binder' of type 'Binder' to property 'pages' of type 'Sheet'. A "
          + "link is equal to objects of its own class alone. Documentation/QueryLanguage.md has "
          + "all literals. In: ANY pages == %@")
      expectEqual(
        Traps.text {
          let sheet = Sheet()
          let other = try TemporaryRealm([Sheet.self]).open()
          try other.write { other.add(sheet) }
          _ = try TemporaryRealm([Sheet.self]).open().objects(Sheet.self).filter(
            "next == %@", sheet)
        }, "Object must be from the Realm being queried, in: next == %@")
    }
  }

  @Test(arguments: [
    ("names['x'] == 1", "only maps have keys"),
    ("prices[0] == 1", "only lists have indexes"),
    ("a[0] == 1", "only lists have indexes"),
    ("[0] == 1", "a property or a value"),
    ("a + names > 1", "Key paths that include a collection property must use aggregate operations"),
    ("a + 'x' > 1", "Cannot compute with 'x' of type 'string'."),
    ("a * next > 1", "Cannot compute with property 'next' of type 'object'."),
    ("a + 1 == 'x'", "Cannot compare value 'x' of type 'string'"),
    ("a == names[0]", "Property type mismatch between int and string"),
  ])
  func misuseIsToldAtTheCall(format: String, text: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [format] in
      _ = try TemporaryRealm([Sheet.self]).open().objects(Sheet.self).filter(format)
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(output.contains(text), "\(output)")
  }
}

/// Strings that do not fit the class, and what is said of them.
private enum QueryStringMisuse {
  static let texts = [
    (
      "a BETWEEN 3",
      "Predicate with BETWEEN operator must compare a KeyPath with an aggregate with two values"
    ),
    ("a IN 3", "Predicate with IN operator must compare a KeyPath with an aggregate"),
    ("a CONTAINS 'x'", "Operator 'CONTAINS' not supported for type 'int'"),
    ("a LIKE '*'", "Operator 'LIKE' not supported for type 'int'"),
    ("ANY names MATCHES '.*'", "Operator 'MATCHES' not supported for type 'string'"),
    ("price == nil OR next matches[c] 'x'", "Operator 'MATCHES' not supported for type 'object'"),
    ("isOn >= true", "Operator '>=' not supported for type 'bool'"),
    ("next > next.next", "Operator '>' not supported for type 'object'"),
    (
      "names[0] IN {3}",
      "Cannot compare value '3' of type 'int' to property 'names[0]' of type 'string'"
    ),
    (
      "pages.@max.a > 'x'",
      "Cannot compare value 'x' of type 'string' to property 'pages.@max.a' of type 'int'"
    ),
    (
      "a == 2020-02-28@13:05:00:7",
      "Cannot compare value '2020-02-28@13:05:00:7' of type 'date' to property 'a' of type 'int'"
    ),
    (
      "pages.@max.next > 1",
      "Invalid keypath 'pages.@max.next': @max can only be applied to a numeric property."
    ),
    ("names[0] == a + 1", "Property type mismatch between string and double"),
    (
      "%K == 3",
      "Invalid predicate: argument 1 is missing; there are 0, at column 1, in: %K == 3"
    ),
    (
      "a > 3 AND names CONTAINS $1",
      "Invalid predicate: argument 2 is missing; there are 0, at column 26, in: "
        + "a > 3 AND names CONTAINS $1"
    ),
    (
      "a > 3 LIMIT(%d)",
      "Invalid predicate: argument 1 is missing; there are 0, at column 13, in: a > 3 LIMIT(%d)"
    ),
    (
      "prices.a == 1",
      "Invalid keypath 'prices.a': Property 'Sheet.prices' is not a link or collection and can "
        + "only appear at the end of a keypath. A key stands in brackets: ['a']."
    ),
    (
      "any.@type == 'text'",
      "Invalid predicate: there is no type 'text' of values; there are numeric, collection, null, "
        + "int, bool, float, double, decimal128, string, data, date, objectId, uuid, object, list, "
        + "dictionary"
    ),
    (
      "@links.Sheet.price.@count > 1",
      "Invalid keypath '@links.Sheet.price.@count': Property 'Sheet.price' does not link to "
        + "objects of type 'Sheet'"
    ),
    ("LIMIT(a)", "LIMIT needs a number that is not negative."),
    (
      "SUBQUERY(a, $x, $x > 3).@count > 0",
      "SUBQUERY is only supported for collections of objects and of values."
    ),
  ]
}
