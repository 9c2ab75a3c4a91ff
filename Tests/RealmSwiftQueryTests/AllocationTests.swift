// SPDX-License-Identifier: Apache-2.0

// Queries allocate for the plan and for the result, never for a row: many objects cost no more
// allocations than few, except that the arrays of the result double a few times more.

import AllocationCounter
import Foundation
import RealmSwift
import TestExtensions
import Testing

@Suite(.enabled(if: allocations_are_counted()))
struct AllocationTests {
  private static let few = 512
  private static let many = 2048
  /// What the larger file may cost more: two doublings of each of a few arrays, and a few
  /// allocations for each of its 6 clusters more, which optimised builds do not make. One for
  /// every 25th row would be too many.
  private static let allowance = 60

  /// Counts the allocations of `body`, after a run that fills what is kept for good.
  private func count(_ body: () -> Void) -> Int {
    body()
    let start = allocation_count()
    body()
    return Int(allocation_count() - start)
  }

  private func check(
    _ what: String, _ body: (Results<Grain>) -> Void, _ files: (GrainFile, GrainFile),
    allowance: Int = AllocationTests.allowance,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let small = count { body(files.0.grains) }
    let large = count { body(files.1.grains) }
    #expect(
      large - small <= allowance, "\(what): \(small), then \(large)",
      sourceLocation: sourceLocation)
  }

  private func files() throws -> (GrainFile, GrainFile) {
    (try GrainFile(count: AllocationTests.few), try GrainFile(count: AllocationTests.many))
  }

  private static let conditions = [
    "int > 3", "int == 3", "3 != int", "int IN {1, 2, 3}", "int BETWEEN {2, 5}",
    "optionalInt == nil", "optionalInt != nil", "optionalInt < 9", "double > 4.5",
    "double IN {1, 2}",
    "optionalDouble == nil", "float <= 8", "bool == true", "bool == false OR int == 2",
    "string == 'amber 5'", "string != 'x'", "string < 'b'", "string IN {'amber 5', 'amber 10'}",
    "optionalString == nil", "string CONTAINS 'corn'", "string CONTAINS[c] 'ÄHRE'",
    "string CONTAINS[cd] 'ahre'", "string CONTAINS 'einkorn wh'", "string BEGINSWITH 'em'",
    "string BEGINSWITH[c] 'EM'", "string ENDSWITH '7'", "string ENDSWITH[cd] 'K 18'",
    "string LIKE 'a*5'", "string LIKE[c] 'ä?r*'", "string ==[c] 'AMBER 5'",
    "string ==[cd] 'celik 8'", "string !=[c] 'ÇELIK 8'", "optionalString CONTAINS[d] 'Ahre'",
    "data == %@", "data CONTAINS %@", "date > %@", "date == %@", "date BETWEEN {%@, %@}",
    "uuid == %@", "uuid IN {%@, %@}", "objectId == %@", "objectId != %@", "decimal > 2",
    "decimal == 0.125", "decimal IN {1, 2}", "any == 6", "any > 3", "any == nil",
    "any CONTAINS 'corn'", "any ==[c] 'AMBER'", "any.@type == 'string'", "any IN {1, 2}",
    "link == nil", "link != nil",
    "link.int == int", "ints.@count > 2", "links.@count == 0",
    "strings.@count == 1", "map.@count > 1", "ints.@sum > 3", "ints.@avg >= 1", "ints.@max == 2",
    "decimals.@sum > 3", "ANY ints == 2", "NONE ints > 2", "2 IN ints",
    "ANY links.int > 3", "ANY links.string CONTAINS[c] 'Ä'", "links.@sum.int > 20",
    "links.@avg.decimal > 2",
    "'amber' IN strings", "ANY strings BEGINSWITH[c] 'A'", "map['k1'] == 1",
    "ANY map.@allKeys == 'k2'", "ANY map.@allValues > 1", "owners.@count > 1",
    "ANY owners.int > 30", "owners.@sum.int > 30", "int == optionalInt", "string == indexedString",
    "string CONTAINS optionalString", "string BEGINSWITH[c] optionalString",
    "indexedString ==[c] optionalString", "int + optionalInt * 2 > 40", "decimal * 2 > 3",
    "indexedInt == 7", "indexedInt > 7", "indexedInt IN {1, 2, 3}", "indexedString == 'amber'",
    "indexedString BEGINSWITH 'b'", "NOT int > 3 AND string != nil",
    "int > 3 AND double < 8 AND string CONTAINS 'e'", "TRUEPREDICATE", "FALSEPREDICATE",
    "place == nil", "place IN %@",
  ]

  /// Conditions for which the standard library allocates in unoptimised builds.
  private static let optimizedConditions = [
    "link.int > 3", "link.link.string BEGINSWITH 'a'", "link.decimal > 2", "ALL links.int > 3",
    "SUBQUERY(links, $x, $x.int > 3 AND $x.bool == true).@count > 1", "place.type == 'Point'",
  ]

  private static let time = Date(timeIntervalSince1970: 5000)
  private static let later = Date(timeIntervalSince1970: 9000)
  private static let id = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5))

  /// The values for the arguments of a condition.
  private static func arguments(of condition: String) -> [Any] {
    switch condition.prefix(while: \.isLetter) {
    case "data": [Data("amber".utf8)]
    case "date": [time, later]
    case "uuid": [id, id]
    case "objectId": [ObjectId.generate()]
    case "place": GeoBox(bottomLeft: (0, 0), topRight: (20, 3)).map { [$0] } ?? []
    default: []
    }
  }

  @Test(.heavy) func conditionsAllocateNothingForARow() throws {
    let files = try files()
    let more = isUnoptimized ? [] : AllocationTests.optimizedConditions
    for condition in AllocationTests.conditions + more {
      let predicate = NSPredicate(
        format: condition, argumentArray: AllocationTests.arguments(of: condition))
      check(condition, { _ = $0.filter(predicate).count }, files)
      check("last of \(condition)", { _ = $0.filter(predicate).last }, files)
    }
  }

  /// Sorting and grouping is left to the standard library, which allocates in unoptimised builds.
  @Test(.disabled(if: isUnoptimized)) func ordersAllocateNothingForARow() throws {
    let files = try files()
    let orders = [
      "SORT(int ASC)", "SORT(double DESC)", "SORT(string ASC)",
      "SORT(optionalString ASC, int DESC)", "SORT(date ASC)", "SORT(decimal ASC)",
      "SORT(any ASC)", "SORT(uuid ASC)", "SORT(bool ASC)", "SORT(link.int ASC)",
      "SORT(link.string ASC)", "SORT(ints.@count DESC)", "SORT(decimals.@sum ASC)",
      "SORT(map['k1'] ASC)", "SORT(string ASC) LIMIT(10)", "DISTINCT(int)", "DISTINCT(string)",
      "DISTINCT(link.string, bool)", "SORT(int ASC) DISTINCT(any)",
      "SORT(float DESC) OFFSET(5) LIMIT(100)",
    ]
    for order in orders {
      // The standard library notes the runs that it finds: less than one for every fifth row.
      let allowance = (AllocationTests.many - AllocationTests.few) / 5
      check(
        order, { _ = $0.filter("TRUEPREDICATE \(order)").last }, files, allowance: allowance)
      check(
        "some \(order)", { _ = $0.filter("int > 3 \(order)").last }, files, allowance: allowance)
    }
  }

  @Test(.heavy) func aggregatesAllocateNothingForARow() throws {
    let files = try files()
    for condition in ["TRUEPREDICATE", "string CONTAINS 'e'"] {
      func check(_ what: String, _ body: (Results<Grain>) -> Void) {
        self.check("\(what) where \(condition)", { body($0.filter(condition)) }, files)
      }
      check("sum of int") { _ = $0.sum(of: \.int) }
      check("sum of optionalInt") { _ = $0.sum(of: \.optionalInt) }
      check("sum of double") { _ = $0.sum(of: \.double) }
      check("sum of optionalDouble") { _ = $0.sum(of: \.optionalDouble) }
      check("sum of float") { _ = $0.sum(of: \.float) }
      check("sum of decimal") { _ = $0.sum(of: \.decimal) }
      check("average of int") { _ = $0.average(ofProperty: "int") as Double? }
      check("average of float") { _ = $0.average(ofProperty: "float") as Double? }
      check("average of decimal") { _ = $0.average(ofProperty: "decimal") as Decimal128? }
      check("max of double") { _ = $0.max(of: \.double) }
      check("min of date") { _ = $0.min(of: \.date) }
      check("min of decimal") { _ = $0.min(of: \.decimal) }
      check("first") { _ = $0.first }
    }
  }
}

/// Whether this is a debug build.
private var isUnoptimized: Bool {
  #if DEBUG
  true
  #else
  false
  #endif
}
