// SPDX-License-Identifier: Apache-2.0

// The fastest condition for a test of one column of the table itself.

import RealmStorage
import RealmTables

/// Chooses conditions by the layout of a column and the type of the constant.
enum ColumnCondition {
  /// The condition that `test` is on a column of single values.
  static func node(
    _ column: Column, _ test: ValueTest, in table: Table
  ) throws(QueryError) -> PlanNode {
    let special: PlanNode? =
      switch column.leafKind {
      case .int, .nullableInt: integers(column, test)
      case .bool: bool(column, test)
      case .double: double(column, test)
      case .float: float(column, test)
      case .string, .binary: bytes(column, test)
      case .enumeratedString:
        try QueryError.storing(enumerated(column, test, table))
      case .timestamp: TimestampCondition(leafIndex: column.leafIndex, test).map { .timestamps($0) }
      default: nil
      }
    return special ?? .values(ValueCondition(column: column, test: test))
  }

  // MARK: Integers

  private static func integers(_ column: Column, _ test: ValueTest) -> PlanNode? {
    func range(
      _ lower: Int64, _ upper: Int64, excludes: Bool = false, matchesNull: Bool = false
    ) -> PlanNode {
      .integers(
        IntegerCondition(
          leafIndex: column.leafIndex, isNullable: column.leafKind == .nullableInt, lower: lower,
          upper: upper, excludes: excludes, matchesNull: matchesNull))
    }
    switch (test.operation, test.constant) {
    case (.equal, .value(.int(let value))): return range(value, value)
    case (.notEqual, .value(.int(let value))):
      return range(value, value, excludes: true, matchesNull: true)
    case (.less, .value(.int(let value))):
      return value == .min ? range(1, 0) : range(.min, value - 1)
    case (.lessOrEqual, .value(.int(let value))): return range(.min, value)
    case (.greater, .value(.int(let value))):
      return value == .max ? range(1, 0) : range(value + 1, .max)
    case (.greaterOrEqual, .value(.int(let value))): return range(value, .max)
    case (.between, .range(.int(let lower), .int(let upper))): return range(lower, upper)
    case (.equal, .value(.null)): return range(1, 0, matchesNull: true)
    case (.notEqual, .value(.null)): return range(1, 0, excludes: true)
    case (.in, .oneOf(let values)): return integerSet(column, values)
    default: return nil
    }
  }

  private static func integerSet(_ column: Column, _ values: [MixedValue]) -> PlanNode? {
    var integers: [Int64] = []
    var matchesNull = false
    for value in values {
      switch value {
      case .null: matchesNull = true
      case .int(let number): if integers.last != number { integers.append(number) }
      default: return nil
      }
    }
    if integers.isEmpty {
      return matchesNull
        ? self.integers(column, ValueTest(.equal, value: .null)) : .constant(false)
    }
    assert(
      integers.count > 256 || zip(integers, integers.dropFirst()).allSatisfy(<),
      "constants that are looked up ascend")
    return .integerSet(
      IntegerSetCondition(
        leafIndex: column.leafIndex, isNullable: column.leafKind == .nullableInt,
        values: integers, matchesNull: matchesNull))
  }

  private static func bool(_ column: Column, _ test: ValueTest) -> PlanNode? {
    let stored: Int64
    switch test.constant {
    case .value(.bool(let truth)): stored = truth ? 1 : 0
    case .value(.null): stored = 3
    default: return nil
    }
    guard test.operation == .equal || test.operation == .notEqual else { return nil }
    return .integers(
      IntegerCondition(
        leafIndex: column.leafIndex, isNullable: false, lower: stored, upper: stored,
        excludes: test.operation == .notEqual, matchesNull: false))
  }

  /// A test of the link itself; nil if it is of another kind.
  static func link(_ column: Column, _ test: ValueTest) -> PlanNode? {
    let bounds: ClosedRange<Int64>
    switch test.constant {
    // Links to tombstones count as null: they are stored below 0.
    case .value(.null): bounds = .min...0
    case .value(.typedLink(let table, let key)):
      let isTarget = column.targetTable.map { Int64($0.rawValue) == Int64(table) } ?? false
      guard isTarget, key >= 0 else { return .constant(test.operation == .notEqual) }
      bounds = key + 1...key + 1
    default: return nil
    }
    guard test.operation == .equal || test.operation == .notEqual else { return nil }
    return .integers(
      IntegerCondition(
        leafIndex: column.leafIndex, isNullable: false, lower: bounds.lowerBound,
        upper: bounds.upperBound, excludes: test.operation == .notEqual, matchesNull: false))
  }

  // MARK: Floating point

  private static func double(_ column: Column, _ test: ValueTest) -> PlanNode? {
    func condition(_ test: FloatingTest<Double>) -> PlanNode {
      .doubles(DoubleCondition(leafIndex: column.leafIndex, test: test))
    }
    switch test.constant {
    case .value(.null):
      return test.operation == .equal
        ? condition(.isNull) : test.operation == .notEqual ? condition(.isNotNull) : nil
    case .value(let value):
      return exactDouble(value).flatMap { FloatingTest(test.operation, $0) }.map(condition)
    case .range(let lower, let upper):
      guard let lower = exactDouble(lower), let upper = exactDouble(upper) else { return nil }
      return condition(.range(lower: lower, upper: upper, excludes: false))
    default: return nil
    }
  }

  private static func exactDouble(_ value: MixedValue) -> Double? {
    switch value {
    case .double(let number): number
    case .float(let number): Double(number)
    case .int(let number): Double(exactly: number)
    default: nil
    }
  }

  private static func float(_ column: Column, _ test: ValueTest) -> PlanNode? {
    func condition(_ test: FloatingTest<Float>) -> PlanNode {
      .floats(FloatCondition(leafIndex: column.leafIndex, test: test))
    }
    switch test.constant {
    case .value(.null):
      return test.operation == .equal
        ? condition(.isNull) : test.operation == .notEqual ? condition(.isNotNull) : nil
    case .value(.float(let number)): return FloatingTest(test.operation, number).map(condition)
    case .range(.float(let lower), .float(let upper)):
      return condition(.range(lower: lower, upper: upper, excludes: false))
    default: return nil
    }
  }

  // MARK: Strings

  private static func bytes(_ column: Column, _ test: ValueTest) -> PlanNode {
    func condition(_ test: BytesCondition.Test) -> PlanNode {
      .bytes(
        BytesCondition(
          leafIndex: column.leafIndex, isBinary: column.leafKind == .binary, test: test))
    }
    switch (test.operation, test.constant, column.leafKind) {
    case (.equal, .value(.null), _): return condition(.equal(nil))
    case (.notEqual, .value(.null), _): return condition(.notEqual(nil))
    case (.equal, .value(.string(let bytes)), .string),
      (.equal, .value(.binary(let bytes)), .binary):
      return condition(.equal(bytes))
    case (.notEqual, .value(.string(let bytes)), .string),
      (.notEqual, .value(.binary(let bytes)), .binary):
      return condition(.notEqual(bytes))
    case (.contains, .text(let matcher, let isBinary), .string),
      (.contains, .text(let matcher, let isBinary), .binary):
      if matcher.isExact, isBinary == (column.leafKind == .binary), let part = test.needle,
        part.count > 0
      {
        return condition(.contains(part))
      }
      return condition(needleTest(test, column) ?? .other(test))
    default: return condition(needleTest(test, column) ?? .other(test))
    }
  }

  /// A test of strings for a text, as leaves are searched; nil for others.
  private static func needleTest(_ test: ValueTest, _ column: Column) -> BytesCondition.Test? {
    guard case .text(let matcher, isBinary: false) = test.constant, column.leafKind == .string
    else { return nil }
    let place: NeedlePlace
    switch matcher.operation {
    case .equal, .notEqual: place = .whole
    case .beginsWith: place = .start
    case .endsWith: place = .end
    case .contains: place = .anywhere
    default: return nil
    }
    return .needle(matcher.asciiNeedle, place, isNegated: matcher.operation == .notEqual, test)
  }

  /// Every distinct value is tested once; the rows are then a matter of integers.
  private static func enumerated(
    _ column: Column, _ test: ValueTest, _ table: Table
  ) throws(StorageError) -> PlanNode {
    let ref = try table.enumerations.leaf(ofColumnAt: column.leafIndex, in: table.space)
    var positions: [Int64] = []
    for position in 0..<(try StringLeaf.count(ref, in: table.space)) {
      let value = try StringLeaf.value(at: position, of: ref, in: table.space)
      if test.matches(value.map { .string($0) } ?? .null) { positions.append(Int64(position)) }
    }
    guard !positions.isEmpty else { return .constant(false) }
    return .integerSet(
      IntegerSetCondition(
        leafIndex: column.leafIndex, isNullable: false, values: positions, matchesNull: false))
  }
}
