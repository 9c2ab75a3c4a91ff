// SPDX-License-Identifier: Apache-2.0

// Conditions on values that are elements themselves, which queries call `self`.

import RealmStorage
import RealmTables

/// A condition on values, bound to its constants.
struct ValueFilter {
  private indirect enum Node {
    case constant(Bool)
    case all([Node])
    case any([Node])
    case not(Node)
    case test(ValueTest)
    case computed(Computation, ValueTest)
    /// A value that is computed from the element, and those of a path of an object around.
    case compared(Computation, ComparisonOperator, TextOptions, ValueReader)
    /// A condition on an object around alone.
    case outer(Int)
  }

  /// A value that is computed from the element.
  private indirect enum Computation {
    case itself
    /// The name of its type.
    case type
    case constant(MixedValue)
    case arithmetic(ArithmeticOperator, Computation, Computation)

    func result(_ value: MixedValue) -> MixedValue {
      switch self {
      case .itself: value
      case .type: .string(value.typeName)
      case .constant(let constant): constant
      case .arithmetic(let operation, let left, let right):
        operation.apply(left.result(value), right.result(value))
      }
    }
  }

  private var node = Node.constant(true)
  private let type: ColumnType
  /// Owns the bytes of the constants.
  private let plan = QueryPlan()
  /// Builds what is asked of the objects around; nil if there are none.
  private let around: PlanBuilder?
  /// Whether the condition is about objects around, too.
  private(set) var usesOuterScope = false

  /// - Parameters:
  ///   - type: The type of the values.
  ///   - around: Builds nodes and readers for the plan that the condition is a part of.
  /// - Throws: `QueryError.invalid` if the condition asks about anything but the value, and, in a
  ///   subquery, about the objects around.
  init(
    _ predicate: BoundPredicate, of type: ColumnType, around: PlanBuilder? = nil
  ) throws(QueryError) {
    self.type = type
    self.around = around
    node = try node(predicate)
  }

  private mutating func node(_ predicate: BoundPredicate) throws(QueryError) -> Node {
    switch predicate {
    case .constant(let truth): return .constant(truth)
    case .all(let parts): return .all(try nodes(parts))
    case .any(let parts): return .any(try nodes(parts))
    case .not(let part): return .not(try node(part))
    case .comparison(let comparison): return try test(comparison)
    case .within: throw ValueFilter.other
    }
  }

  private static var other: QueryError {
    .invalid("Queries of a collection of values can only ask about 'self'.")
  }

  private mutating func nodes(_ parts: [BoundPredicate]) throws(QueryError) -> [Node] {
    var nodes: [Node] = []
    for part in parts { nodes.append(try node(part)) }
    return nodes
  }

  private mutating func test(_ comparison: BoundComparison) throws(QueryError) -> Node {
    guard !comparison.isOfLists else { throw ValueFilter.other }
    var comparison = comparison
    let mirrors =
      switch (comparison.left, comparison.right) {
      case (.value, _): true
      case (.outer, .outer), (.outer, .value), (.outer, .values): false
      case (.outer, _): true
      default: false
      }
    if mirrors, let mirrored = comparison.operation.mirrored {
      comparison = BoundComparison(
        comparison.right, mirrored, comparison.left, options: comparison.options)
    }
    if let node = try outerTest(comparison) { return node }
    let end = ResolvedEnd(type: .mixed, target: nil, isElement: false)
    let left = try ValueFilter.computation(comparison.left, plan)
    if case .itself = left {
      comparison.right = comparison.right.converted(to: type)
    }
    let test = try plan.test(comparison, end, path: ColumnPath.itself)
    if case .itself = left { return .test(test) }
    return .computed(left, test)
  }

  /// A comparison with an object around, or of objects around; nil for others.
  private mutating func outerTest(_ comparison: BoundComparison) throws(QueryError) -> Node? {
    guard let around, let table = around.outerTables.last else { return nil }
    switch comparison.left {
    case .outer, .matchCount(_, _, level: 1...):
      usesOuterScope = true
      // The node belongs to the plan around, and reads none of the row that it is given.
      return .outer(try around.node(.comparison(comparison), table))
    default: break
    }
    guard case .outer(let level, let path) = comparison.right,
      comparison.operation != .between
    else { return nil }
    usesOuterScope = true
    return .compared(
      try ValueFilter.computation(comparison.left, plan),
      comparison.operation == .in ? .equal : comparison.operation, comparison.options,
      try around.outer(level, path).reader)
  }

  private static func computation(
    _ operand: BoundOperand, _ plan: QueryPlan
  ) throws(QueryError) -> Computation {
    switch operand {
    case .property(ColumnPath.itself): return .itself
    case .property(ColumnPath.typeOfItself): return .type
    case .value(let value):
      guard let constant = plan.constants.value(value, target: nil) else { throw other }
      return .constant(constant)
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(operation, try computation(left, plan), try computation(right, plan))
    case .property, .values, .matchCount, .outer: throw other
    }
  }

  /// Whether a value matches; for conditions that are about no object around.
  func matches(_ value: MixedValue) -> Bool {
    assert(!usesOuterScope, "a condition on objects around is asked without them")
    return ValueFilter.matches(node, value)
  }

  /// Whether a value of an object's collection matches; the plan knows the objects around.
  func matches(_ value: MixedValue, _ row: Row, _ plan: QueryPlan) throws(StorageError) -> Bool {
    usesOuterScope
      ? try ValueFilter.matches(node, value, row, plan) : ValueFilter.matches(node, value)
  }

  private static func matches(_ node: Node, _ value: MixedValue) -> Bool {
    switch node {
    case .constant(let truth): truth
    case .all(let parts): parts.allSatisfy { matches($0, value) }
    case .any(let parts): parts.contains { matches($0, value) }
    case .not(let part): !matches(part, value)
    case .test(let test): test.matches(value)
    case .computed(let computation, let test): test.matches(computation.result(value))
    case .compared, .outer: false
    }
  }

  private static func matches(
    _ node: Node, _ value: MixedValue, _ row: Row, _ plan: QueryPlan
  ) throws(StorageError) -> Bool {
    switch node {
    case .all(let parts):
      for part in parts where try !matches(part, value, row, plan) { return false }
      return true
    case .any(let parts):
      for part in parts where try matches(part, value, row, plan) { return true }
      return false
    case .not(let part): return try !matches(part, value, row, plan)
    case .compared(let computation, let operation, let options, let reader):
      let left = computation.result(value)
      return try reader.contains(in: row, plan) { other in
        options.isEmpty
          ? ValueTest.comparePair(left, operation, other)
          : ValueTest.compare(left, operation, other, options)
      }
    case .outer(let node): return try plan.matches(row, node: node)
    case .constant, .test, .computed: return matches(node, value)
    }
  }
}

extension BoundOperand {
  /// The operand with its constants as values of `type`.
  fileprivate func converted(to type: ColumnType) -> BoundOperand {
    switch self {
    case .value(let value): .value(value.converted(to: type))
    case .values(let values): .values(values.map { $0.converted(to: type) })
    case .property, .matchCount, .outer, .arithmetic: self
    }
  }
}
