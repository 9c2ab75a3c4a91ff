// SPDX-License-Identifier: Apache-2.0

// What is asked of the engines.

import BenchmarkSupport

/// A query that every engine answers with one number.
package enum QueryWorkload: String, CaseIterable, Sendable {
  case intEquals = "int-equals"
  case intRange = "int-range"
  case doubleRange = "double-range"
  case boolEquals = "bool-equals"
  case stringEquals = "string-equals"
  case threeWayAnd = "three-way-and"
  case contains
  case containsInsensitive = "contains-insensitive"
  case sumOfInts = "sum-int"
  case sumOfDoubles = "sum-double"
  case minimum
  case maximum
  case sortByDouble = "sort-double"
  case sortByStringLimit = "sort-string-limit"
  case distinct
  case indexedCount = "indexed-count"
  case indexedFind = "indexed-find"
  case indexedKeys = "indexed-keys"
  case indexedLookUps = "indexed-look-ups"
  case preparedLookUps = "prepared-look-ups"
  case linkTraversal = "link"

  static let owner = "owner_42"
  static let text = "abc"
  static let lookUpCount = 100_000

  /// What stands in the table.
  var title: String {
    switch self {
    case .intEquals: "count an int's equals"
    case .intRange: "count an int range"
    case .doubleRange: "count a double range"
    case .boolEquals: "count a bool's equals"
    case .stringEquals: "count a string's equals"
    case .threeWayAnd: "count string and int and bool"
    case .contains: "count CONTAINS"
    case .containsInsensitive: "count CONTAINS[c]"
    case .sumOfInts: "sum of an int"
    case .sumOfDoubles: "sum of a double"
    case .minimum: "minimum of an int"
    case .maximum: "maximum of a double"
    case .sortByDouble: "sort all by a double"
    case .sortByStringLimit: "sort all by a string, first 100"
    case .distinct: "distinct, 100 values"
    case .indexedCount: "count a string's equals, index, 10,000 hits"
    case .indexedFind: "read a string's equals, index, 10,000 hits"
    case .indexedKeys: "find all keys, index, 10,000 hits"
    case .indexedLookUps: "100,000 strings looked up, index"
    case .preparedLookUps: "100,000 strings looked up, prepared query"
    case .linkTraversal: "count by a linked object's string, 100,000"
    }
  }

  /// How often the query is asked in a row: what takes microseconds would alone measure how long
  /// code and data take to come back to the caches.
  var repetitions: Int {
    switch self {
    case .indexedCount: 1000
    case .indexedKeys: 100
    default: 1
    }
  }

  /// The goal for the ratio OpenRealm : SQLite.
  var goal: Double? {
    switch self {
    case .intEquals, .intRange, .doubleRange, .boolEquals, .stringEquals, .threeWayAnd: 0.02
    case .contains: 0.10
    case .sumOfInts, .sumOfDoubles, .minimum, .maximum: 0.01
    case .sortByDouble: 0.15
    case .sortByStringLimit: 0.10
    case .distinct: 0.5
    case .indexedCount, .indexedFind: 0.3
    case .containsInsensitive, .indexedKeys, .indexedLookUps, .preparedLookUps, .linkTraversal: nil
    }
  }

  /// The same in SQL; an argument is bound to each `?`.
  var sql: String {
    switch self {
    case .intEquals: "SELECT COUNT(*) FROM todo WHERE priority = 500"
    case .intRange: "SELECT COUNT(*) FROM todo WHERE priority >= 250 AND priority < 500"
    case .doubleRange: "SELECT COUNT(*) FROM todo WHERE score < 250.0"
    case .boolEquals: "SELECT COUNT(*) FROM todo WHERE done = 1"
    case .stringEquals: "SELECT COUNT(*) FROM todo WHERE owner = 'owner_42'"
    case .threeWayAnd:
      "SELECT COUNT(*) FROM todo WHERE status = 'done' AND priority >= 500 AND done = 1"
    case .contains: "SELECT COUNT(*) FROM todo WHERE instr(name, 'abc') > 0"
    case .containsInsensitive: "SELECT COUNT(*) FROM todo WHERE name LIKE '%ABC%'"
    case .sumOfInts: "SELECT SUM(priority) FROM todo"
    case .sumOfDoubles: "SELECT SUM(score) FROM todo"
    case .minimum: "SELECT MIN(priority) FROM todo"
    case .maximum: "SELECT MAX(score) FROM todo"
    case .sortByDouble: "SELECT id FROM todo ORDER BY score"
    case .sortByStringLimit:
      "SELECT SUM(id) FROM (SELECT id FROM todo ORDER BY name LIMIT 100)"
    case .distinct: "SELECT COUNT(DISTINCT owner) FROM todo"
    case .indexedCount: "SELECT COUNT(*) FROM indexed WHERE owner = 'owner_42'"
    case .indexedFind: "SELECT SUM(priority) FROM indexed WHERE owner = 'owner_42'"
    case .indexedKeys:
      // Both ends, so that no engine stops at the first.
      "SELECT id FROM indexed WHERE owner = 'owner_42'"
    case .indexedLookUps, .preparedLookUps: "SELECT priority FROM indexed WHERE name = ?"
    case .linkTraversal:
      """
      SELECT COUNT(*) FROM item JOIN owner ON owner.id = item.owner
      WHERE owner.name = 'owner_42'
      """
    }
  }

  /// What a correct engine answers.
  func answer(_ data: BenchmarkData) -> Int {
    let rows = data.rows
    return switch self {
    case .intEquals: rows.count { $0.priority == 500 }
    case .intRange: rows.count { (250..<500).contains($0.priority) }
    case .doubleRange: rows.count { $0.score < 250 }
    case .boolEquals: rows.count { $0.isDone }
    case .stringEquals, .indexedCount: rows.count { $0.owner == Self.owner }
    case .threeWayAnd: rows.count { $0.status == "done" && $0.priority >= 500 && $0.isDone }
    case .contains, .containsInsensitive: rows.count { $0.name.utf8.contains(Self.text.utf8) }
    case .sumOfInts: data.prioritySum
    case .sumOfDoubles: Int(rows.reduce(0) { $0 + $1.score })
    case .minimum: rows.map(\.priority).min() ?? 0
    case .maximum: Int(rows.map(\.score).max() ?? 0)
    case .sortByDouble: rows.min { $0.score < $1.score }?.id ?? -1
    case .sortByStringLimit:
      rows.sorted { $0.name < $1.name }.prefix(100).reduce(0) { $0 + $1.id }
    case .distinct: Set(rows.map(\.owner)).count
    case .indexedFind: rows.reduce(0) { $0 + ($1.owner == Self.owner ? $1.priority : 0) }
    case .indexedKeys:
      (rows.first { $0.owner == Self.owner }?.id ?? 0)
        + (rows.last { $0.owner == Self.owner }?.id ?? 0)
    case .indexedLookUps, .preparedLookUps:
      data.randomRows.prefix(Self.lookUpCount).reduce(0) { $0 + rows[$1].priority }
    case .linkTraversal: data.linkedOwners.count { $0 == 42 }
    }
  }
}

extension BenchmarkData {
  /// The owner, out of 100, of each of 100,000 items.
  var linkedOwners: [Int] { rows.prefix(100_000).map { Int($0.owner.suffix(2)) ?? 0 } }
}
