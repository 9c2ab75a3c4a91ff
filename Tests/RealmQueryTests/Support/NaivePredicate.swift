// SPDX-License-Identifier: Apache-2.0

// What predicates mean, written down as plainly as possible.

import RealmStorage
import RealmTables

@testable import RealmQuery

/// Evaluates predicates on objects read value by value.
struct NaivePredicate {
  let group: TableGroup
  /// The objects around an element, the outermost first.
  private var around: [(table: Table, row: Row)] = []

  init(group: TableGroup) { self.group = group }

  func matches(_ predicate: BoundPredicate, _ table: Table, _ row: Row) throws -> Bool {
    switch predicate {
    case .constant(let truth): return truth
    case .all(let parts): return try parts.allSatisfy { try matches($0, table, row) }
    case .any(let parts): return try parts.contains { try matches($0, table, row) }
    case .not(let part): return try !matches(part, table, row)
    case .within: return false
    case .comparison(let comparison):
      let lefts = try values(comparison.left, table, row)
      if case .values(let constants) = comparison.right {
        if comparison.operation == .in {
          return lefts.contains { left in
            constants.contains { Self.compare(left, .equal, $0, []) }
          }
        }
        return lefts.contains {
          Self.compare($0, .greaterOrEqual, constants[0], [])
            && Self.compare($0, .lessOrEqual, constants[1], [])
        }
      }
      let rights = try values(comparison.right, table, row)
      return try lefts.contains { left in
        try rights.contains { try compare(left, comparison, $0, table) }
      }
    }
  }

  /// A comparison of two values; beside what `compare(_:_:_:_:)` says, strings are greater than the
  /// constant null, and two properties that are null are level.
  private func compare(
    _ left: TableValue, _ comparison: BoundComparison, _ right: TableValue, _ table: Table
  ) throws -> Bool {
    func isConstant(_ operand: BoundOperand) -> Bool {
      if case .value = operand { true } else { false }
    }
    let operation = comparison.operation == .in ? .equal : comparison.operation
    switch (left, operation, right) {
    case (.null, .lessOrEqual, .null), (.null, .greaterOrEqual, .null):
      return comparison.options.isEmpty && !isConstant(comparison.left)
        && !isConstant(comparison.right)
    case (.string, .greater, .null), (.string, .greaterOrEqual, .null):
      return try isConstant(comparison.right) && isString(comparison.left, table)
    case (.null, .less, .string), (.null, .lessOrEqual, .string):
      return try isConstant(comparison.left) && isString(comparison.right, table)
    default: return Self.compare(left, operation, right, comparison.options)
    }
  }

  /// Whether an operand leads to strings, and to nothing else.
  private func isString(_ operand: BoundOperand, _ table: Table) throws -> Bool {
    let path: ColumnPath
    var table = table
    switch operand {
    case .property(let property): path = property
    case .outer(let level, let property):
      path = property
      table = around[around.count - level].table
    default: return false
    }
    var type: ColumnType?
    for name in path.names {
      let column = table.schema.column(named: name)
      type = column?.type
      if let target = try column?.targetTable.flatMap({ try group.table($0) }) { table = target }
    }
    return type == .string && path.function == nil
  }

  private func values(_ operand: BoundOperand, _ table: Table, _ row: Row) throws -> [TableValue] {
    switch operand {
    case .value(let value): return [value]
    case .arithmetic(let operation, let left, let right):
      let rights = try values(right, table, row)
      return try values(left, table, row).flatMap { left in
        rights.map { Self.compute(operation, left, $0) }
      }
    case .values(let values): return values
    case .property(let path): return try values(path.names[...], path.function, table, row)
    case .outer(let level, let path):
      let outer = around[around.count - level]
      return try values(path.names[...], path.function, outer.table, outer.row)
    case .matchCount(let path, let predicate, let level):
      var inner = self
      inner.around.append((table, row))
      let start = inner.around[inner.around.count - 1 - level]
      guard let column = start.table.schema.column(named: path.names[0]),
        let target = try column.targetTable.flatMap({ try group.table($0) })
      else { return [] }
      let keys = try start.row.list(column).keys()
      let count = try keys.filter {
        try target.row(of: $0).map { try inner.matches(predicate, target, $0) } ?? false
      }.count
      return [.int(Int64(count))]
    }
  }

  private func values(
    _ names: ArraySlice<String>, _ function: CollectionFunction?, _ table: Table, _ row: Row
  ) throws -> [TableValue] {
    guard let name = names.first, let column = table.schema.column(named: name) else { return [] }
    if column.collection != .none, let function {
      let elements = try values(names, nil, table, row)
      return [Self.fold(function, elements)]
    }
    let rest = names.dropFirst()
    let value = try row.value(of: column)
    var here = [value]
    if case .list(let elements) = value { here = elements }
    guard !rest.isEmpty, let target = try column.targetTable.flatMap({ try group.table($0) })
    else { return here }
    return try here.flatMap { value -> [TableValue] in
      guard case .link(let key) = value, let next = try target.row(of: key) else { return [.null] }
      return try values(rest, function, target, next)
    }
  }

  /// Integers stay integers as long as the result is one; the samples do not overflow.
  private static func compute(
    _ operation: ArithmeticOperator, _ left: TableValue, _ right: TableValue
  ) -> TableValue {
    if case .int(let left) = left, case .int(let right) = right {
      switch operation {
      case .add: return .int(left + right)
      case .subtract: return .int(left - right)
      case .multiply:
        let (product, overflow) = left.multipliedReportingOverflow(by: right)
        return overflow ? .double(Double(left) * Double(right)) : .int(product)
      case .divide: return right == 0 ? .null : .int(left / right)
      case .remainder: return right == 0 ? .null : .int(left % right)
      }
    }
    guard let first = number(left), let second = number(right) else { return .null }
    let result =
      switch operation {
      case .add: first + second
      case .subtract: first - second
      case .multiply: first * second
      case .divide: first / second
      case .remainder: first.truncatingRemainder(dividingBy: second)
      }
    let isDecimal = [left, right].contains { if case .decimal = $0 { true } else { false } }
    // A result computed with decimals is a decimal, which makes a difference for NaN.
    return isDecimal ? .decimal(DecimalBits(double: result)) : .double(result)
  }

  private static func fold(
    _ function: CollectionFunction, _ elements: [TableValue]
  ) -> TableValue {
    let numbers = elements.compactMap { value -> Int64? in
      if case .int(let number) = value { number } else { nil }
    }
    switch function {
    case .count: return .int(Int64(elements.count))
    case .sum: return .int(numbers.reduce(0, &+))
    case .min: return numbers.min().map { .int($0) } ?? .null
    case .max: return numbers.max().map { .int($0) } ?? .null
    case .average:
      return numbers.isEmpty
        ? .null : .double(Double(numbers.reduce(0, &+)) / Double(numbers.count))
    }
  }

  static func compare(
    _ left: TableValue, _ operation: ComparisonOperator, _ right: TableValue, _ options: TextOptions
  ) -> Bool {
    switch operation {
    case .beginsWith, .endsWith, .contains, .like:
      return compareText(left, operation, right, options)
    case .equal: return isEqual(left, right, options)
    case .notEqual: return !isEqual(left, right, options)
    case .less: return order(left, right).map { $0 < 0 } ?? false
    case .lessOrEqual: return order(left, right).map { $0 <= 0 } ?? false
    case .greater: return order(left, right).map { $0 > 0 } ?? false
    case .greaterOrEqual: return order(left, right).map { $0 >= 0 } ?? false
    case .in, .between, .text, .matches: return false
    }
  }

  private static func isEqual(
    _ left: TableValue, _ right: TableValue, _ options: TextOptions
  ) -> Bool {
    if left == .null || right == .null { return left == right }
    if case .string(let first) = left, case .string(let second) = right {
      return fold(first, options) == fold(second, options)
    }
    if case .typedLink(_, let key) = left { return isEqual(.link(key), right, options) }
    if case .typedLink(_, let key) = right { return isEqual(left, .link(key), options) }
    if case .link(let first) = left, case .link(let second) = right { return first == second }
    return order(left, right) == 0
  }

  /// Negative, zero, positive; nil where there is no order.
  private static func order(_ left: TableValue, _ right: TableValue) -> Int? {
    func sign<T: Comparable>(_ first: T, _ second: T) -> Int {
      first < second ? -1 : first == second ? 0 : 1
    }
    if case .int(let first) = left, case .int(let second) = right { return sign(first, second) }
    if let first = number(left), let second = number(right) {
      guard first.isNaN || second.isNaN else { return sign(first, second) }
      // Decimals have an order in which NaN is lowest, other numbers compare as IEEE 754 says.
      func isInOrder(_ value: TableValue, _ number: Double) -> Bool {
        if case .decimal = value { true } else { !number.isNaN }
      }
      guard isInOrder(left, first), isInOrder(right, second) else { return nil }
      return (first.isNaN ? 0 : 1) - (second.isNaN ? 0 : 1)
    }
    switch (left, right) {
    case (.bool(let first), .bool(let second)): return sign(first ? 1 : 0, second ? 1 : 0)
    case (.string(let first), .string(let second)):
      return first.utf8.elementsEqual(second.utf8)
        ? 0 : first.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
    case (.binary(let first), .binary(let second)):
      return first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
    case (.timestamp(let first), .timestamp(let second)): return sign(first, second)
    case (.objectId(let first), .objectId(let second)): return sign(first, second)
    case (.uuid(let first), .uuid(let second)): return sign(first, second)
    default: return nil
    }
  }

  /// The number of a value; the samples are small enough for a double to distinguish them.
  private static func number(_ value: TableValue) -> Double? {
    switch value {
    case .int(let number): return Double(number)
    case .float(let number): return Double(number)
    case .double(let number): return number
    case .decimal(let bits):
      if case .infinity(let isNegative) = bits.parts { return isNegative ? -.infinity : .infinity }
      guard case .finite(let isNegative, let coefficient, let exponent) = bits.parts else {
        return .nan
      }
      var number = Double(coefficient)
      for _ in 0..<max(exponent, 0) { number *= 10 }
      for _ in 0..<max(-exponent, 0) { number /= 10 }
      return isNegative ? -number : number
    default: return nil
    }
  }

  // MARK: Text

  private static func fold(_ text: String, _ options: TextOptions) -> [UInt8] {
    var text = text
    if options.contains(.diacriticInsensitive) {
      text = String(text.map { ["é": "e", "É": "E"][$0] ?? $0 })
    }
    if options.contains(.caseInsensitive) { text = text.lowercased() }
    return Array(text.utf8)
  }

  private static func compareText(
    _ left: TableValue, _ operation: ComparisonOperator, _ right: TableValue, _ options: TextOptions
  ) -> Bool {
    let text: [UInt8]
    let part: [UInt8]
    switch (left, right) {
    case (.string(let first), .string(let second)):
      text = fold(first, options)
      part = fold(second, options)
    case (.binary(let first), .binary(let second)): (text, part) = (first, second)
    default: return false
    }
    if operation == .like { return like(Array(text)[...], part[...]) }
    guard !part.isEmpty, text.count >= part.count else { return false }
    switch operation {
    case .beginsWith: return text.starts(with: part)
    case .endsWith: return text.suffix(part.count).elementsEqual(part)
    default:
      return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
    }
  }

  private static func like(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == UInt8(ascii: "*") {
      return like(text, pattern.dropFirst()) || (!text.isEmpty && like(text.dropFirst(), pattern))
    }
    guard let next = text.first else { return false }
    if first == UInt8(ascii: "?") {
      let rest = text.dropFirst().drop { $0 & 0xC0 == 0x80 }
      return like(rest, pattern.dropFirst())
    }
    return first == next && like(text.dropFirst(), pattern.dropFirst())
  }
}
