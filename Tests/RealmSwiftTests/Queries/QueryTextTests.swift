// SPDX-License-Identifier: Apache-2.0

// The predicates that `where` closures spell.

import Testing

@testable import RealmSwift

private final class QueryCity: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var name = ""
  @Persisted var nickname: String?
  @Persisted var size = 0
  @Persisted var height: Double?
  @Persisted var isCapital = false
  @Persisted var country: QueryCountry?
  @Persisted var tags: List<String>
  @Persisted var scores: List<Int>
  @Persisted var prices: Map<String, Int>
  @Persisted var numbers: List<Int?>
  @Persisted var fees: Map<String, Int?>
  @Persisted var rulers: Map<String, QueryCountry?>
  @Persisted var any: AnyRealmValue
  @Persisted var rank = MatrixLevel.low

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

private final class QueryCountry: Object {
  @Persisted var name = ""
  @Persisted var area = 0.0
  @Persisted var cities: List<QueryCity>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct QueryTextTests {
  private func text(_ body: (Query<QueryCity>) -> Query<Bool>) -> String {
    body(Query<QueryCity>._constructForTesting())._constructPredicate().0
  }

  private func countryText(_ body: (Query<QueryCountry>) -> Query<Bool>) -> String {
    body(Query<QueryCountry>._constructForTesting())._constructPredicate().0
  }

  @Test func comparisons() {
    #expect(text { $0.size == 3 } == "(size == %@)")
    #expect(text { $0.size != 3 } == "(size != %@)")
    #expect(text { $0.size < 3 } == "(size < %@)")
    #expect(text { $0.size <= 3 } == "(size <= %@)")
    #expect(text { $0.size > 3 } == "(size > %@)")
    #expect(text { $0.size >= 3 } == "(size >= %@)")
    #expect(text { $0.id == $0.size } == "(id == size)")
    #expect(text { $0.height == nil } == "(height == %@)")
    #expect(text { $0.country == nil } == "(country == %@)")
  }

  @Test func logic() {
    #expect(text { $0.size == 1 && $0.id == 2 } == "((size == %@) && (id == %@))")
    #expect(
      text { $0.size == 1 || $0.id == 2 || $0.isCapital }
        == "(((size == %@) || (id == %@)) || isCapital == true)")
    #expect(text { !($0.size == 1) } == "(NOT size == %@)")
    #expect(text { !$0.name.contains("a") } == "(NOT name CONTAINS %@)")
    #expect(text { !$0.size.in([1]) } == "(NOT size IN %@)")
    #expect(text { !$0.size.contains(1...5) } == "(NOT size BETWEEN {%@, %@})")
    #expect(text { !$0.tags.contains("x") } == "(NOT %@ IN tags)")
    #expect(
      text { !($0.size == 1 && $0.id == 2) } == "NOT ((size == %@) && (id == %@))")
    #expect(text { $0.isCapital } == "isCapital == true")
    #expect(text { !$0.isCapital } == "isCapital == false")
  }

  @Test func rangesAndSets() {
    #expect(text { $0.size.contains(1..<5) } == "((size >= %@) && (size < %@))")
    #expect(text { $0.size.contains(1...5) } == "(size BETWEEN {%@, %@})")
    #expect(text { $0.height.contains(1...5) } == "(height BETWEEN {%@, %@})")
    #expect(text { $0.size.in([1, 2, 3]) } == "(size IN %@)")
    let (numbers, prices) = (
      "((numbers.@min >= %@) && (numbers.@max < %@))", "((fees.@min >= %@) && (fees.@max <= %@))"
    )
    #expect(text { $0.numbers.contains(1..<5) } == numbers)
    #expect(text { $0.numbers.contains(1...5) } == numbers.replacing("max <", with: "max <="))
    #expect(text { $0.fees.contains(1..<5) } == prices.replacing("max <=", with: "max <"))
    #expect(text { $0.fees.contains(1...5) } == prices)
  }

  @Test func strings() {
    #expect(text { $0.name.contains("a") } == "(name CONTAINS %@)")
    #expect(
      text { $0.name.starts(with: "a", options: .caseInsensitive) } == "(name BEGINSWITH[c] %@)")
    #expect(
      text { $0.name.ends(with: "a", options: [.caseInsensitive, .diacriticInsensitive]) }
        == "(name ENDSWITH[cd] %@)")
    #expect(
      text { $0.nickname.equals("a", options: .diacriticInsensitive) } == "(nickname ==[d] %@)")
    #expect(text { $0.name.notEquals("a", options: .caseInsensitive) } == "(name !=[c] %@)")
    #expect(text { $0.name.like("a*", caseInsensitive: true) } == "(name LIKE[c] %@)")
    #expect(text { $0.name.starts(with: $0.nickname) } == "(name BEGINSWITH nickname)")
  }

  @Test func pathsAndCollections() {
    #expect(text { $0.country.name == "A" } == "(country.name == %@)")
    #expect(countryText { $0.cities.size > 3 } == "(ANY cities.size > %@)")
    #expect(text { $0.tags.contains("x") } == "(%@ IN tags)")
    #expect(text { $0.tags.containsAny(in: ["x", "y"]) } == "(ANY tags IN %@)")
    #expect(text { $0.tags.count > 2 } == "(tags.@count > %@)")
    #expect(text { $0.scores.min > 2 } == "(scores.@min > %@)")
    #expect(text { $0.scores.contains(1..<3) } == "((scores.@min >= %@) && (scores.@max < %@))")
    #expect(countryText { $0.cities.size.avg > 2 } == "(cities.@avg.size > %@)")
    #expect(
      countryText { ($0.cities.size > 1 && $0.cities.name == "x").count > 2 }
        == "(SUBQUERY(cities, $col1, (($col1.size > %@) && ($col1.name == %@))).@count > %@)")
    #expect(
      countryText { ($0.cities.scores.count > 1).count > 2 }
        == "(SUBQUERY(cities, $col1, ($col1.scores.@count > %@)).@count > %@)")
    #expect(
      countryText { ($0.cities.scores.max > 1 && $0.cities.tags.contains("x")).count == 1 }
        == "(SUBQUERY(cities, $col1, (($col1.scores.@max > %@) && (%@ IN $col1.tags))).@count"
        + " == %@)")
  }

  @Test func mapsAndNestedValues() {
    #expect(text { $0.prices["a"] == 3 } == "(prices[%@] == %@)")
    #expect(text { $0.prices.keys == "a" } == "(ANY prices.@allKeys == %@)")
    #expect(text { $0.prices.values > 3 } == "(ANY prices.@allValues > %@)")
    #expect(text { $0.prices.count > 3 } == "(prices.@count > %@)")
    #expect(text { $0.prices.contains(3) } == "(%@ IN prices)")
    #expect(text { $0.rulers.name == "x" } == "(ANY rulers.@allValues.name == %@)")
    #expect(text { $0.rulers.values.name == "x" } == "(ANY rulers.@allValues.name == %@)")
    #expect(text { $0.rulers.area.avg > 1 } == "(rulers.@allValues.@avg.area > %@)")
    #expect(
      text { ($0.rulers.name == "x").count > 1 }
        == "(SUBQUERY(rulers.@allValues, $col1, ($col1.name == %@)).@count > %@)")
    #expect(text { $0.any["a"][0] == .int(1) } == "(any[%@][%@] == %@)")
    #expect(text { $0.any.any == .int(1) } == "(any[%K] == %@)")
    #expect(text { $0.rank.rawValue > 1 } == "(rank > %@)")
    #expect(text { $0.rank >= .high } == "(rank >= %@)")
    let (_, arguments) =
      (Query<QueryCity>._constructForTesting().any["a"][2].any == .none)._constructPredicate()
    #expect(arguments[0] as? String == "a")
    #expect(arguments[1] as? Int == 2)
    #expect(arguments[2] as? String == "#any")
  }

  @Test func keyPathsEndAtSubscripts() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<QueryCity>._constructForTesting().rulers["a"].name == "x"
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Cannot apply key path to Map subscripts."), "\(output)")
  }

  @Test func collectionsAreNotComparedWithEachOther() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([QueryCity.self, QueryCountry.self]).open()
      _ = realm.objects(QueryCountry.self).where { $0.cities.id == $0.cities.size }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("Comparing two collection columns is not permitted."), "\(output)")
  }

  @Test func constantsAreHandedOverInOrder() {
    let (_, arguments) =
      (Query<QueryCity>._constructForTesting().size.contains(1...5)
      && Query<QueryCity>._constructForTesting().name == "x")._constructPredicate()
    #expect(arguments.count == 3)
    #expect(
      arguments[0] as? Int == 1 && arguments[1] as? Int == 5 && arguments[2] as? String == "x")
  }
}
