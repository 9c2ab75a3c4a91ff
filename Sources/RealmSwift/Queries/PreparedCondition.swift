// SPDX-License-Identifier: Apache-2.0

// What is known of a prepared query before its arguments are.

import RealmQuery
import RealmTables
import Synchronization

/// A condition with placeholders, bound to columns as far as that is possible without the values.
struct PreparedCondition {
  /// A plain comparison (see `PlainBinder`) of a conjunction.
  private struct Part {
    enum Right {
      case value(TableValue)
      /// The position of an argument.
      case argument(Int)
    }

    let property: ModelProperty
    let type: ColumnType
    let operation: ComparisonOperator
    let options: TextOptions
    let right: Right
  }

  private static let count = Atomic<UInt64>(0)

  /// A number for the placeholders of a condition, which no other condition has.
  static func nextNumber() -> UInt64 {
    count.wrappingAdd(1, ordering: .relaxed).newValue
  }

  private let written: Predicate
  private let number: UInt64
  /// The comparisons, all of which must be true; nil if some are not plain.
  private let parts: [Part]?

  /// - Parameters:
  ///   - number: The number of its placeholders.
  ///   - schema: The class of the objects; nil if there is none.
  init(_ condition: Predicate, number: UInt64, _ schema: ModelSchema?) {
    written = condition
    self.number = number
    parts = schema.flatMap { schema in
      var parts: [Part] = []
      for comparison in condition.parts(of: .and) {
        guard let part = PreparedCondition.part(comparison, number, PlainBinder(schema)) else {
          return nil
        }
        parts.append(part)
      }
      return parts
    }
  }

  private static func part(
    _ condition: Predicate, _ number: UInt64, _ binder: PlainBinder
  ) -> Part? {
    guard case .comparison(let comparison) = condition,
      let (property, type) = binder.property(comparison)
    else { return nil }
    let right: Part.Right
    if let placeholder = comparison.right.placeholder(of: number) {
      right = .argument(placeholder.index)
    } else if case .constant(let constant) = comparison.right,
      let value = TableValue(plain: constant), value.type == type
    {
      right = .value(value)
    } else {
      return nil
    }
    return Part(
      property: property, type: type, operation: comparison.operation,
      options: comparison.options, right: right)
  }

  /// The condition as if it had been written with the values.
  func filled(_ values: [Any]) -> Predicate { written.filled(values, of: number) }

  /// The condition over columns and stored values; nil if `QueryBinder` must make it.
  func bound(_ values: [Any]) -> BoundPredicate? {
    guard let parts else { return nil }
    if parts.count == 1 { return PreparedCondition.bound(parts[0], values) }
    var conditions: [BoundPredicate] = []
    conditions.reserveCapacity(parts.count)
    for part in parts {
      guard let condition = PreparedCondition.bound(part, values) else { return nil }
      conditions.append(condition)
    }
    return .all(conditions)
  }

  /// The condition with the values of its arguments, if it is one equality, which can be bound
  /// later.
  func equality(_ values: [Any]) -> PlainEquality? {
    guard let parts, parts.count == 1, parts[0].operation == .equal, parts[0].options.isEmpty,
      let value = PreparedCondition.value(of: parts[0], values)
    else { return nil }
    return PlainEquality(property: parts[0].property, value: value)
  }

  private static func bound(_ part: Part, _ values: [Any]) -> BoundPredicate? {
    value(of: part, values).map { value in
      .comparison(
        BoundComparison(
          part.property.operand, part.operation, .value(value), options: part.options))
    }
  }

  private static func value(of part: Part, _ values: [Any]) -> TableValue? {
    switch part.right {
    case .value(let constant): return constant
    case .argument(let index):
      guard let argument = TableValue(plain: values[index]), argument.type == part.type else {
        return nil
      }
      return argument
    }
  }
}
