// SPDX-License-Identifier: Apache-2.0

import RealmStorage
import RealmTables
import RealmTestSupport
import TestExtensions
import Testing

@testable import RealmQuery

struct IndexAndAggregateTests {
  private func comparison(
    _ name: String, _ operation: ComparisonOperator, _ value: TableValue
  ) -> BoundPredicate {
    .comparison(BoundComparison(.property(ColumnPath([name])), operation, .value(value)))
  }

  @Test func indexesAnswerWhatScansAnswer() throws {
    let tables = try SampleTables(seed: 21, items: 400, owners: 5, spread: 2)
    let naive = NaivePredicate(group: tables.group)
    let rows = try SelectionTests.rows(of: tables.items)
    let oneOf = BoundPredicate.comparison(
      BoundComparison(
        .property(ColumnPath(["indexed"])), .in, .values([.int(1), .int(-2), .null, .int(1)])))
    let predicates: [BoundPredicate] = [
      comparison("indexed", .equal, .int(2)), comparison("indexed", .equal, .null),
      comparison("indexed", .equal, .double(2)), comparison("indexed", .equal, .int(77)),
      comparison("tag", .equal, .string("ab")), comparison("tag", .equal, .string("")),
      comparison("tag", .equal, .null), oneOf,
      .all([comparison("indexed", .equal, .int(1)), comparison("int", .greater, .int(0))]),
      .any([comparison("indexed", .equal, .int(1)), comparison("tag", .equal, .string("a"))]),
      .any([comparison("indexed", .equal, .int(1)), comparison("int", .equal, .int(0))]),
      .not(comparison("indexed", .equal, .int(1))),
    ]
    for predicate in predicates {
      let expected = try rows.filter { try naive.matches(predicate, tables.items, $0.row) }
        .map(\.key)
      try expectEqual(
        Selection(predicate, in: tables.items, of: tables.group).keys(), expected,
        "\(predicate)")
    }
  }

  /// Numbers that are equal though they are entered in an index in different places.
  @Test func indexesFindEqualNumbersOfOtherTypes() throws {
    func decimal(_ coefficient: UInt128, _ exponent: Int) -> TableValue {
      .decimal(DecimalBits(isNegative: false, coefficient: coefficient, exponent: exponent))
    }
    let numbers: [TableValue] = [
      .double(1e300), decimal(1, 300), decimal(10, 299), .float(1e20), .double(1e20),
      decimal(1, 20), decimal(100, 18), .float(16_777_216), .int(16_777_216),
      decimal(16_777_220, 0), decimal(16_777_216, 0), .float(0.1), .double(0.1), decimal(1, -1),
      .int(1 << 53 + 1), .double(0x1p53), decimal(1 << 53 + 1, 0), .int(.max), .double(0x1p63),
      decimal(UInt128(Int64.max), 0), .int(1), .double(1.5), decimal(15, -1), decimal(10, -1),
    ]
    let file = try DatabaseFile.open(
      path: "/memory/numbers-\(UInt64.random(in: .min ... .max))",
      options: OpenOptions(isInMemory: true))
    let writing = try WriteGroup(try file.beginWrite())
    let table = try writing.createTable(named: "class_Number")
    let columns = try [("any", ColumnType.mixed), ("int", .int)].map { name, type in
      (
        try table.addColumn(named: name, type: type, isNullable: true),
        try table.addColumn(named: name + "!", type: type, isNullable: true, isIndexed: true)
      )
    }
    for number in numbers {
      let (key, _) = try table.createObject()
      for (plain, indexed) in columns {
        if plain.type == .int { guard case .int = number else { continue } }
        try table.set(number, plain, key)
        try table.set(number, indexed, key)
      }
    }
    let group = try TableGroup(try writing.commit())
    let numbersTable = try #require(try group.table(table.key))
    func keys(_ predicate: BoundPredicate) throws -> [ObjectKey] {
      try Selection(predicate, in: numbersTable, of: group).keys()
    }
    for number in numbers {
      for name in ["any", "int"] {
        let expected = try keys(comparison(name, .equal, number))
        try expectEqual(
          keys(comparison(name + "!", .equal, number)), expected, "\(name), \(number)")
        let oneOf = BoundOperand.values([number, .int(77)])
        let found = try keys(
          .comparison(BoundComparison(.property(ColumnPath([name + "!"])), .in, oneOf)))
        expectEqual(found, expected, "\(name) in \(number)")
      }
    }
  }

  @Test func aggregatesAgreeWithPlainFolds() throws {
    let tables = try SampleTables(seed: 22, items: 300, owners: 5, spread: 3)
    let rows = try SelectionTests.rows(of: tables.items)
    let condition = comparison("bool", .equal, .bool(true))
    let naive = NaivePredicate(group: tables.group)
    let chosen = try rows.filter { try naive.matches(condition, tables.items, $0.row) }
    let selection = try Selection(condition, in: tables.items, of: tables.group)
    for name in ["int", "int?"] {
      let column = try #require(tables.items.schema.column(named: name))
      for (objects, fold) in [
        (rows, { try Aggregates.compute($0, of: column, in: tables.items) }),
        (chosen, { try selection.aggregate($0, of: column) }),
        (
          chosen,
          { try Aggregates.compute($0, of: column, in: tables.items, over: chosen.map(\.key)) }
        ),
      ] as [([(key: ObjectKey, row: Row)], (CollectionFunction) throws -> MixedValue)] {
        let values = try objects.compactMap { object -> Int64? in
          guard case .int(let number) = try object.row.value(of: column) else { return nil }
          return number
        }
        let sum = values.reduce(0, &+)
        #expect(try fold(.sum).isEqual(to: .int(sum)))
        #expect(try fold(.min).isEqual(to: values.min().map { .int($0) } ?? .null))
        #expect(try fold(.max).isEqual(to: values.max().map { .int($0) } ?? .null))
        #expect(
          try fold(.average).isEqual(to: .double(Double(sum) / Double(values.count))))
      }
    }
    let dates = try #require(tables.items.schema.column(named: "timestamp?"))
    let latest = try rows.compactMap { object -> Timestamp? in
      guard case .timestamp(let date) = try object.row.value(of: dates) else { return nil }
      return date
    }.max()
    #expect(
      try Aggregates.compute(.max, of: dates, in: tables.items)
        .isEqual(to: latest.map { .timestamp($0) } ?? .null))
    let nothing = try Selection(.constant(false), in: tables.items, of: tables.group)
    let int = try #require(tables.items.schema.column(named: "int"))
    #expect(try nothing.aggregate(.sum, of: int).isEqual(to: .int(0)))
    #expect(try nothing.aggregate(.average, of: int).isNull)
    #expect(try nothing.aggregate(.min, of: int).isNull)
  }

  @Test(.heavy, arguments: ["int", "int?", "double", "double?"])
  func countsAndExtremesOfSomeRowsAreThoseOfTheirValues(name: String) throws {
    let tables = try SampleTables(seed: 23, items: 700, owners: 5, spread: 9)
    let column = try #require(tables.items.schema.column(named: name))
    let rows = try SelectionTests.rows(of: tables.items)
    let condition = comparison("bool", .equal, .bool(true))
    let naive = NaivePredicate(group: tables.group)
    let selection = try Selection(condition, in: tables.items, of: tables.group)
    for (objects, fold) in [
      (rows, { try Aggregates.compute($0, of: column, in: tables.items) }),
      (
        try rows.filter { try naive.matches(condition, tables.items, $0.row) },
        { try selection.aggregate($0, of: column) }
      ),
    ] as [([(key: ObjectKey, row: Row)], (CollectionFunction) throws -> MixedValue)] {
      let values = try objects.map { try $0.row.mixedValue(of: column) }
      for function in [CollectionFunction.min, .max, .count] {
        var plain = Aggregator(function)
        for value in values { plain.add(value) }
        #expect(try fold(function).isEqual(to: plain.result))
      }
    }
  }

  @Test func queriesThatDoNotFitTheSchemaSayWhy() throws {
    let tables = try SampleTables(seed: 23, items: 1, owners: 1)
    func message(_ left: [String], _ operation: ComparisonOperator, _ right: TableValue) -> String?
    {
      do throws(QueryError) {
        _ = try Selection(
          .comparison(BoundComparison(.property(ColumnPath(left)), operation, .value(right))),
          in: tables.items, of: tables.group)
        return nil
      } catch { return error.description }
    }
    expectEqual(
      message(["nowhere"], .equal, .int(1)),
      "Invalid keypath 'nowhere': Property 'nowhere' not found in object of type 'Item'")
    expectEqual(
      message(["int", "name"], .equal, .int(1)),
      "Invalid keypath 'int.name': Property 'Item.int' is not a link or collection and can "
        + "only appear at the end of a keypath.")
    expectEqual(
      message(["owner", "age"], .equal, .string("x")),
      "Cannot compare value 'x' of type 'string' to property 'owner.age' of type 'int'. In a "
        + "query, a number is written without quotes. Documentation/QueryLanguage.md has all "
        + "literals.")
    expectTrue(message(["int"], .contains, .int(1)) != nil)
    expectEqual(message(["int"], .equal, .int(1)), nil)
  }

  @Test func backlinksAreReachedByTheirOrigin() throws {
    let tables = try SampleTables(seed: 24, items: 80, owners: 12)
    let items = try SelectionTests.rows(of: tables.items)
    let link = try #require(tables.items.schema.column(named: "owner"))
    let int = try #require(tables.items.schema.column(named: "int"))
    let path = ColumnPath(["@links.Item.owner", "int"])
    let found = try Selection(
      .comparison(BoundComparison(.property(path), .greater, .value(.int(1)))), in: tables.owners,
      of: tables.group)
    var expected: Set<ObjectKey> = []
    for item in items where try item.row.int(int.leafIndex) > 1 {
      if let owner = try item.row.link(link.leafIndex) { expected.insert(owner) }
    }
    try expectEqual(found.keys(), expected.sorted())
    let count = ColumnPath(["@links.Item.owner"], function: .count)
    let busy = try Selection(
      .comparison(BoundComparison(.property(count), .greaterOrEqual, .value(.int(7)))),
      in: tables.owners, of: tables.group)
    var numbers: [ObjectKey: Int] = [:]
    for item in items {
      if let owner = try item.row.link(link.leafIndex) { numbers[owner, default: 0] += 1 }
    }
    try expectEqual(busy.keys(), numbers.filter { $0.value >= 7 }.map(\.key).sorted())
  }
}
