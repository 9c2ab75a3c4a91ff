// SPDX-License-Identifier: Apache-2.0

// What strings say beyond comparisons of properties: brackets and arithmetic.

import Foundation
import RealmTestSupport
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

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite struct QueryStringTests {
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
    #expect(
      !expected.isEmpty && expected.count < 60, "\(format)", sourceLocation: sourceLocation)
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
    #expect(
      all.where { $0.any["list"][0] == .int(2) }.count == Array(all).filter { map($0) != nil }.count
    )
    #expect(
      all.where { $0.any.any == .string("x") }.count
        == Array(all).filter { list($0) != nil }.count)
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
    #expect(output.contains(text), "\(output)")
  }
}
