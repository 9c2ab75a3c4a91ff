// SPDX-License-Identifier: Apache-2.0

// The values of a column, moved to another.

import RealmStorage
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmTables

struct CopyColumnTests {
  /// A column and the one that gets its values.
  private struct Pair {
    let type: ColumnType
    let collection: CollectionKind
    let wasNullable: Bool

    var name: String { "\(collection) \(type) \(wasNullable)" }

    /// What must be in the new column for a value of the old one.
    func expected(_ value: TableValue) -> TableValue {
      switch value {
      case .null: wasNullable && collection == .none ? type.zero : .null
      case .list(let elements): .list(wasNullable ? elements.filter { !$0.isNull } : elements)
      case .dictionary(let map):
        .dictionary(
          TableDictionary(wasNullable ? map.entries.filter { !$0.value.isNull } : map.entries))
      default: value
      }
    }

    func random(_ generator: inout SeededGenerator) -> TableValue {
      func element() -> TableValue {
        wasNullable && generator.chance(0.3) ? .null : type.random(using: &generator)
      }
      switch collection {
      case .none: return element()
      case .list, .set:
        return .list((0..<Int.random(in: 0...4, using: &generator)).map { _ in element() })
      case .dictionary:
        return .dictionary(
          TableDictionary(
            ["a", "b", "c"].prefix(Int.random(in: 0...3, using: &generator)).map {
              TableDictionary.Entry(key: $0, value: element())
            }))
      }
    }
  }

  private static let pairs: [Pair] = ColumnType.scalars.flatMap { type in
    [CollectionKind.none, .list, .dictionary].flatMap { collection in
      [false, true].map { Pair(type: type, collection: collection, wasNullable: $0) }
    }
  }

  @Test(.heavy) func valuesOfEveryTypeMoveOverManyClusters() throws {
    var generator = SeededGenerator(seed: 4)
    let database = try TestDatabase()
    var expected: [ObjectKey: [TableValue]] = [:]
    let keys = try database.write { group in
      let table = try group.createTable(named: "class_A")
      let columns = try Self.pairs.map { pair in
        try table.addColumn(
          named: pair.name, type: pair.type, collection: pair.collection,
          isNullable: pair.wasNullable)
      }
      var keys: [ObjectKey] = []
      for index in 0..<620 {
        let (key, _) = try table.createObject()
        keys.append(key)
        // Most collections are empty, so that the test is quick.
        for (pair, column) in zip(Self.pairs, columns)
        where pair.collection == .none || index % 16 == 0 {
          try table.set(pair.random(&generator), column, key)
        }
      }
      // Gaps and clusters of several sizes.
      for index in stride(from: 0, to: 300, by: 3) { try table.delete(keys[index]) }
      return keys.enumerated().filter { $0.offset >= 300 || $0.offset % 3 != 0 }.map(\.element)
    }
    let old = try database.table("class_A")
    for key in keys {
      let row = try #require(try old.row(of: key))
      expected[key] = try Self.pairs.map { pair in
        let column = try #require(old.schema.column(named: pair.name))
        return pair.expected(try row.value(of: column))
      }
    }
    try database.write { group in
      let table = try #require(try group.table(named: "class_A"))
      for pair in Self.pairs {
        let source = try #require(table.schema.column(named: pair.name))
        try table.columns.rename(source.key, to: "old")
        let target = try table.addColumn(
          named: pair.name, type: pair.type, collection: pair.collection,
          isNullable: !pair.wasNullable)
        try table.columns.copyValues(from: source.key, to: target.key)
        try table.columns.remove(source.key)
      }
    }
    try database.reopen()
    let table = try database.table("class_A")
    try expectEqual(table.objectCount(), keys.count)
    for key in keys {
      let row = try #require(try table.row(of: key))
      for (pair, value) in zip(Self.pairs, expected[key] ?? []) {
        let column = try #require(table.schema.column(named: pair.name))
        let found = try row.value(of: column)
        if found != value {
          Issue.record("\(pair.name) of \(key): \(found) instead of \(value)")
          return
        }
      }
    }
  }
}
