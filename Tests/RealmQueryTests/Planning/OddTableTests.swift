// SPDX-License-Identifier: Apache-2.0

// Conditions over leaves of every form in clusters of any size, against arrays.

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct OddTableTests {
  /// Random conditions, as predicates and as functions of an object's values.
  private struct Conditions {
    let contents: [OddTable.Content]
    var random: SeededGenerator

    typealias Meaning = ([TableValue]) -> Bool

    mutating func tree(depth: Int) -> (BoundPredicate, Meaning) {
      guard depth > 0, random.chance(0.7) else { return leaf() }
      let parts = (0..<Int.random(in: 0...3, using: &random)).map { _ in tree(depth: depth - 1) }
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        return (.all(parts.map(\.0)), { values in parts.allSatisfy { $0.1(values) } })
      case 2, 3: return (.any(parts.map(\.0)), { values in parts.contains { $0.1(values) } })
      default:
        let (predicate, meaning) = leaf()
        return (.not(predicate), { !meaning($0) })
      }
    }

    private mutating func leaf() -> (BoundPredicate, Meaning) {
      let index = Int.random(in: contents.indices, using: &random)
      let content = contents[index]
      let path = BoundOperand.property(ColumnPath([content.name]))
      let isText = content.type == .string || content.type == .binary
      switch Int.random(in: 0..<10, using: &random) {
      case 0:
        let values = (0..<Int.random(in: 0...30, using: &random)).map { _ in constant(content) }
        return (
          .comparison(BoundComparison(path, .in, .values(values))),
          { row in values.contains { NaivePredicate.compare(row[index], .equal, $0, []) } }
        )
      case 1 where content.type != .bool:
        let (lower, upper) = (constant(content), constant(content))
        return (
          .comparison(BoundComparison(path, .between, .values([lower, upper]))),
          { row in
            NaivePredicate.compare(row[index], .greaterOrEqual, lower, [])
              && NaivePredicate.compare(row[index], .lessOrEqual, upper, [])
          }
        )
      case 2...4 where isText: return comparison(index, textOperators, part(of: content))
      default:
        return comparison(
          index, content.type == .bool ? Array(orders.prefix(2)) : orders, constant(content))
      }
    }

    private let orders: [ComparisonOperator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    private let textOperators: [ComparisonOperator] = [.beginsWith, .endsWith, .contains]

    private mutating func comparison(
      _ index: Int, _ operators: [ComparisonOperator], _ constant: TableValue
    ) -> (BoundPredicate, Meaning) {
      let operation = operators.randomElement(using: &random) ?? .equal
      let path = BoundOperand.property(ColumnPath([contents[index].name]))
      let contents = contents
      return (
        .comparison(BoundComparison(path, operation, .value(constant))),
        { row in
          // Strings are greater than null.
          if contents[index].type == .string, constant == .null,
            operation == .greater || operation == .greaterOrEqual
          {
            return row[index] != .null
          }
          return NaivePredicate.compare(row[index], operation, constant, [])
        }
      )
    }

    /// A value of the column, or one that a column of its type may be asked for.
    private mutating func constant(_ content: OddTable.Content) -> TableValue {
      if random.chance(0.1) { return .null }
      let isNumber = [.int, .float, .double, .decimal].contains(content.type)
      let others = contents.filter {
        random.chance(0.05) && isNumber ? $0.type == .decimal : $0.type == content.type
      }
      let chosen = random.chance(0.6) ? content : others.randomElement(using: &random) ?? content
      return chosen.values.randomElement(using: &random) ?? .null
    }

    /// What may stand somewhere in a value.
    private mutating func part(of content: OddTable.Content) -> TableValue {
      let value = constant(content)
      func piece(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count > 1 else { return bytes }
        let start = Int.random(in: bytes.indices, using: &random)
        return Array(bytes[start..<Int.random(in: start + 1...bytes.count, using: &random)])
      }
      switch value {
      case .string(let text):
        return .string(String(decoding: piece(Array(text.utf8)), as: UTF8.self))
      case .binary(let bytes): return .binary(piece(bytes))
      default: return value
      }
    }
  }

  /// `QueryPlan` 3, for conditions on leaves.
  @Test(arguments: RandomRuns.seeds(3)) func everyLeafAnswersAsAnArrayDoes(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...700, using: &random)
    let odd = try OddTable(seed: seed, count: count)
    var conditions = Conditions(contents: odd.contents, random: random)
    for round in 0..<70 {
      let (predicate, meaning) = conditions.tree(depth: round % 3)
      let expected = odd.rows.filter { meaning($0.values) }.map(\.key)
      let selection = try Selection(predicate, in: odd.table, of: odd.group)
      let text: Comment = "seed \(seed), \(predicate)"
      try expectEqual(selection.keys(), expected, text)
      try expectEqual(selection.count(), expected.count, text)
      try expectEqual(selection.first(), expected.first, text)
      let single = try odd.rows.filter { try selection.matches($0.key) }.map(\.key)
      expectEqual(single, expected, text)
      let (parts, few) = try ScanParts.$smallestTable.withValue(0) {
        (try selection.keys(), try selection.keys(limit: 9))
      }
      expectEqual(parts, expected, text)
      expectEqual(few, Array(expected.prefix(9)), text)
    }
  }

  @Test(arguments: RandomRuns.seeds(1)) func everyColumnIsOrderedAsAnArrayIs(seed: UInt64) throws {
    let odd = try OddTable(seed: seed + 1000, count: 300)
    let selection = try Selection(.constant(true), in: odd.table, of: odd.group)
    for (index, content) in odd.contents.enumerated() where content.type != .mixed {
      for isAscending in [true, false] {
        let order = SortOrder([SortOrder.Criterion([content.name], isAscending: isAscending)])
        let sorted = odd.rows.indices.sorted { left, right in
          let order = SortOrderTests.order(
            odd.rows[left].values[index], odd.rows[right].values[index])
          return order == 0 ? left < right : isAscending ? order < 0 : order > 0
        }
        let expected = sorted.map { odd.rows[$0].key }
        let text: Comment = "seed \(seed), \(content.name), ascending \(isAscending)"
        let keys = odd.rows.map(\.key)
        try expectEqual(order.sorted(keys, of: odd.table, in: odd.group), expected, text)
        if let found = try order.sorted(selection, in: odd.group) {
          expectEqual(found, expected, text)
        }
        for limit in [1, 5, 100] {
          if let first = try order.first(limit, of: selection, in: odd.group) {
            expectEqual(first, Array(expected.prefix(limit)), text)
          }
        }
        var firsts: [ObjectKey] = []
        var seen: [TableValue] = []
        for row in odd.rows
        where !seen.contains(where: { SortOrderTests.order($0, row.values[index]) == 0 }) {
          seen.append(row.values[index])
          firsts.append(row.key)
        }
        try expectEqual(order.distinct(keys, of: odd.table, in: odd.group), firsts, text)
        let found = try ScanParts.$smallestTable.withValue(0) {
          try order.distinct(selection, in: odd.group)
        }
        if let found { expectEqual(found, firsts, text) }
      }
    }
  }
}
