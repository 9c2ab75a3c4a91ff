// SPDX-License-Identifier: Apache-2.0

// The predicates that `where` closures spell.

import RealmSwiftTestSupport
import TestExtensions
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
    expectEqual(text { $0.size == 3 }, "(size == %@)")
    expectEqual(text { $0.size != 3 }, "(size != %@)")
    expectEqual(text { $0.size < 3 }, "(size < %@)")
    expectEqual(text { $0.size <= 3 }, "(size <= %@)")
    expectEqual(text { $0.size > 3 }, "(size > %@)")
    expectEqual(text { $0.size >= 3 }, "(size >= %@)")
    expectEqual(text { $0.id == $0.size }, "(id == size)")
    expectEqual(text { $0.height == nil }, "(height == %@)")
    expectEqual(text { $0.country == nil }, "(country == %@)")
  }

  @Test func logic() {
    expectEqual(text { $0.size == 1 && $0.id == 2 }, "((size == %@) && (id == %@))")
    expectEqual(
      text { $0.size == 1 || $0.id == 2 || $0.isCapital },
      "(((size == %@) || (id == %@)) || isCapital == true)")
    expectEqual(text { !($0.size == 1) }, "(NOT size == %@)")
    expectEqual(text { !$0.name.contains("a") }, "(NOT name CONTAINS %@)")
    expectEqual(text { !$0.size.in([1]) }, "(NOT size IN %@)")
    expectEqual(text { !$0.size.contains(1...5) }, "(NOT size BETWEEN {%@, %@})")
    expectEqual(text { !$0.tags.contains("x") }, "(NOT %@ IN tags)")
    expectEqual(text { !($0.size == 1 && $0.id == 2) }, "NOT ((size == %@) && (id == %@))")
    expectEqual(text { $0.isCapital }, "isCapital == true")
    expectEqual(text { !$0.isCapital }, "isCapital == false")
  }

  @Test func rangesAndSets() {
    expectEqual(text { $0.size.contains(1..<5) }, "((size >= %@) && (size < %@))")
    expectEqual(text { $0.size.contains(1...5) }, "(size BETWEEN {%@, %@})")
    expectEqual(text { $0.height.contains(1...5) }, "(height BETWEEN {%@, %@})")
    expectEqual(text { $0.size.in([1, 2, 3]) }, "(size IN %@)")
    let (numbers, prices) = (
      "((numbers.@min >= %@) && (numbers.@max < %@))", "((fees.@min >= %@) && (fees.@max <= %@))"
    )
    expectEqual(text { $0.numbers.contains(1..<5) }, numbers)
    expectEqual(text { $0.numbers.contains(1...5) }, numbers.replacing("max <", with: "max <="))
    expectEqual(text { $0.fees.contains(1..<5) }, prices.replacing("max <=", with: "max <"))
    expectEqual(text { $0.fees.contains(1...5) }, prices)
  }

  @Test func strings() {
    expectEqual(text { $0.name.contains("a") }, "(name CONTAINS %@)")
    expectEqual(
      text { $0.name.starts(with: "a", options: .caseInsensitive) }, "(name BEGINSWITH[c] %@)")
    expectEqual(
      text { $0.name.ends(with: "a", options: [.caseInsensitive, .diacriticInsensitive]) },
      "(name ENDSWITH[cd] %@)")
    expectEqual(
      text { $0.nickname.equals("a", options: .diacriticInsensitive) }, "(nickname ==[d] %@)")
    expectEqual(text { $0.name.notEquals("a", options: .caseInsensitive) }, "(name !=[c] %@)")
    expectEqual(text { $0.name.like("a*", caseInsensitive: true) }, "(name LIKE[c] %@)")
    expectEqual(text { $0.name.starts(with: $0.nickname) }, "(name BEGINSWITH nickname)")
  }

  @Test func pathsAndCollections() {
    expectEqual(text { $0.country.name == "A" }, "(country.name == %@)")
    expectEqual(countryText { $0.cities.size > 3 }, "(ANY cities.size > %@)")
    expectEqual(text { $0.tags.contains("x") }, "(%@ IN tags)")
    expectEqual(text { $0.tags.containsAny(in: ["x", "y"]) }, "(ANY tags IN %@)")
    expectEqual(text { $0.tags.count > 2 }, "(tags.@count > %@)")
    expectEqual(text { $0.scores.min > 2 }, "(scores.@min > %@)")
    expectEqual(text { $0.scores.contains(1..<3) }, "((scores.@min >= %@) && (scores.@max < %@))")
    expectEqual(countryText { $0.cities.size.avg > 2 }, "(cities.@avg.size > %@)")
    expectEqual(
      countryText { ($0.cities.size > 1 && $0.cities.name == "x").count > 2 },
      "(SUBQUERY(cities, $col1, (($col1.size > %@) && ($col1.name == %@))).@count > %@)")
    expectEqual(
      countryText { ($0.cities.scores.count > 1).count > 2 },
      "(SUBQUERY(cities, $col1, ($col1.scores.@count > %@)).@count > %@)")
    expectEqual(
      countryText { ($0.cities.scores.max > 1 && $0.cities.tags.contains("x")).count == 1 },
      "(SUBQUERY(cities, $col1, (($col1.scores.@max > %@) && (%@ IN $col1.tags))).@count"
        + " == %@)")
  }

  @Test func mapsAndNestedValues() {
    expectEqual(text { $0.prices["a"] == 3 }, "(prices[%@] == %@)")
    expectEqual(text { $0.prices.keys == "a" }, "(ANY prices.@allKeys == %@)")
    expectEqual(text { $0.prices.values > 3 }, "(ANY prices.@allValues > %@)")
    expectEqual(text { $0.prices.count > 3 }, "(prices.@count > %@)")
    expectEqual(text { $0.prices.contains(3) }, "(%@ IN prices)")
    expectEqual(text { $0.rulers.name == "x" }, "(ANY rulers.@allValues.name == %@)")
    expectEqual(text { $0.rulers.values.name == "x" }, "(ANY rulers.@allValues.name == %@)")
    expectEqual(text { $0.rulers.area.avg > 1 }, "(rulers.@allValues.@avg.area > %@)")
    expectEqual(
      text { ($0.rulers.name == "x").count > 1 },
      "(SUBQUERY(rulers.@allValues, $col1, ($col1.name == %@)).@count > %@)")
    expectEqual(text { $0.any["a"][0] == .int(1) }, "(any[%@][%@] == %@)")
    expectEqual(text { $0.any.any == .int(1) }, "(any[%K] == %@)")
    expectEqual(text { $0.rank.rawValue > 1 }, "(rank > %@)")
    expectEqual(text { $0.rank >= .high }, "(rank >= %@)")
    let (_, arguments) =
      (Query<QueryCity>._constructForTesting().any["a"][2].any == .none)._constructPredicate()
    expectEqual(arguments[0] as? String, "a")
    expectEqual(arguments[1] as? Int, 2)
    expectEqual(arguments[2] as? String, "#any")
  }

  @Test func keyPathsEndAtSubscripts() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Query<QueryCity>._constructForTesting().rulers["a"].name == "x"
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(output.contains("Cannot apply key path to Map subscripts."), "\(output)")
  }

  @Test func collectionsAreNotComparedWithEachOther() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let realm = try TemporaryRealm([QueryCity.self, QueryCountry.self]).open()
      _ = realm.objects(QueryCountry.self).where { $0.cities.id == $0.cities.size }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    expectTrue(output.contains("Comparing two collection columns is not permitted."), "\(output)")
  }

  @Test func constantsAreHandedOverInOrder() {
    let (_, arguments) =
      (Query<QueryCity>._constructForTesting().size.contains(1...5)
      && Query<QueryCity>._constructForTesting().name == "x")._constructPredicate()
    expectEqual(arguments.count, 3)
    expectEqual(arguments[0] as? Int, 1)
    expectEqual(arguments[1] as? Int, 5)
    expectEqual(arguments[2] as? String, "x")
  }
}
