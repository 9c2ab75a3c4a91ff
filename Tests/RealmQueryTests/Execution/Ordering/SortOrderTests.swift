// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct SortOrderTests {
  /// The value at the end of a path, read the slow way; nil if a link on it is null.
  static func value(
    _ names: ArraySlice<String>, _ table: Table, _ row: Row, _ group: TableGroup
  ) throws -> TableValue? {
    guard let name = names.first, let column = table.schema.column(named: name) else {
      return .null
    }
    let value = try row.value(of: column)
    guard names.count > 1 else { return value }
    guard case .link(let key) = value, let target = try column.targetTable.flatMap(group.table),
      let next = try target.row(of: key)
    else { return nil }
    return try self.value(names.dropFirst(), target, next, group)
  }

  /// Negative, zero, positive by the documented order.
  static func order(_ left: TableValue?, _ right: TableValue?) -> Int {
    guard let left, let right else { return (left == nil ? 1 : 0) - (right == nil ? 1 : 0) }
    func rank(_ value: TableValue) -> Int {
      switch value {
      case .null: 0
      case .double(let number): number.isNaN ? 1 : 2
      case .float(let number): number.isNaN ? 1 : 2
      default: 2
      }
    }
    if rank(left) != rank(right) { return rank(left) - rank(right) }
    if rank(left) < 2 { return 0 }
    if NaivePredicate.compare(left, .less, right, []) { return -1 }
    return NaivePredicate.compare(left, .equal, right, []) ? 0 : 1
  }

  /// `SortTable` 1, with objects in any order, many of them level.
  @Test(.heavy, arguments: RandomRuns.seeds(4)) func sortsAgreeWithAPlainSort(seed: UInt64) throws {
    let tables = try SampleTables(seed: seed, items: 120, owners: 20, spread: 2)
    var random = SeededGenerator(seed: seed)
    let names =
      tables.items.schema.columns
      .filter { $0.collection == .none && $0.type != .link && $0.type != .mixed }
      .map { [$0.name] } + [["owner", "age"], ["owner", "boss", "name"]]
    let rows = try SelectionTests.rows(of: tables.items)
    for _ in 0..<20 {
      let order = SortOrder(
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
          SortOrder.Criterion(names.randomElement(using: &random)!, isAscending: random.chance(0.6))
        })
      let shuffled = rows.shuffled(using: &random)
      let values = try shuffled.map { object in
        try order.criteria.map {
          try Self.value($0.path.names[...], tables.items, object.row, tables.group)
        }
      }
      let expected = shuffled.indices.sorted { left, right in
        for (index, criterion) in order.criteria.enumerated() {
          let order = Self.order(values[left][index], values[right][index])
          if order != 0 { return criterion.isAscending ? order < 0 : order > 0 }
        }
        return left < right
      }
      let keys = shuffled.map(\.key)
      let sorted = try order.sorted(keys, of: tables.items, in: tables.group)
      expectEqual(sorted, expected.map { keys[$0] }, "\(order)")
      for limit in [0, 1, 2, 3, 50, 119] {
        let first = try order.sorted(keys, of: tables.items, in: tables.group, limit: limit)
        expectEqual(first, Array(sorted.prefix(limit)), "\(order)")
      }
      var seen: [[TableValue?]] = []
      let firsts = shuffled.indices.filter { position in
        let isNew = !seen.contains { other in
          zip(other, values[position]).allSatisfy { Self.order($0, $1) == 0 }
        }
        if isNew { seen.append(values[position]) }
        return isNew
      }
      try expectEqual(
        order.distinct(keys, of: tables.items, in: tables.group), firsts.map { keys[$0] })
    }
  }

  @Test func pathsThatCannotBeSortedByAreRefused() throws {
    let tables = try SampleTables(seed: 9, items: 1, owners: 1)
    func message(_ names: String...) -> String? {
      do throws(QueryError) {
        _ = try SortOrder([.init(names)]).sorted([], of: tables.items, in: tables.group)
        return nil
      } catch { return error.description }
    }
    expectEqual(
      message("nowhere"),
      "Cannot sort on key path 'nowhere': property 'Item.nowhere' does not exist.")
    expectEqual(
      message("owner"),
      "Cannot sort on key path 'owner': property 'Item.owner' of type 'object' cannot be the "
        + "final property in the key path.")
    expectEqual(
      message("owner", "nowhere"),
      "Cannot sort on key path 'owner.nowhere': property 'Owner.nowhere' does not exist.")
    expectEqual(
      message("scores"),
      "Cannot sort on key path 'scores': property 'Item.scores' is of unsupported type "
        + "'list<int>'.")
  }
}
