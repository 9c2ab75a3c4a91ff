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

  private let node: Node
  /// Owns the bytes of the constants.
  private let plan = QueryPlan()

  /// - Throws: `QueryError.invalid` if the condition asks about anything but the value.
  init(_ predicate: BoundPredicate) throws(QueryError) {
    node = try ValueFilter.node(predicate, plan)
  }

  private static func node(
    _ predicate: BoundPredicate, _ plan: QueryPlan
  ) throws(QueryError) -> Node {
    switch predicate {
    case .constant(let truth): return .constant(truth)
    case .all(let parts): return .all(try nodes(parts, plan))
    case .any(let parts): return .any(try nodes(parts, plan))
    case .not(let part): return .not(try node(part, plan))
    case .comparison(let comparison): return try test(comparison, plan)
    case .within: throw other
    }
  }

  private static var other: QueryError {
    .invalid("Queries of a collection of values can only ask about 'self'.")
  }

  private static func nodes(
    _ parts: [BoundPredicate], _ plan: QueryPlan
  ) throws(QueryError) -> [Node] {
    var nodes: [Node] = []
    for part in parts { nodes.append(try node(part, plan)) }
    return nodes
  }

  private static func test(
    _ comparison: BoundComparison, _ plan: QueryPlan
  ) throws(QueryError) -> Node {
    guard !comparison.isOfLists else { throw other }
    var comparison = comparison
    if case .value = comparison.left, let mirrored = comparison.operation.mirrored {
      comparison = BoundComparison(
        comparison.right, mirrored, comparison.left, options: comparison.options)
    }
    let end = ResolvedEnd(type: .mixed, target: nil, isElement: false)
    let left = try computation(comparison.left, plan)
    let test = try plan.test(comparison, end, path: ColumnPath.itself)
    if case .itself = left { return .test(test) }
    return .computed(left, test)
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

  func matches(_ value: MixedValue) -> Bool { ValueFilter.matches(node, value) }

  private static func matches(_ node: Node, _ value: MixedValue) -> Bool {
    switch node {
    case .constant(let truth): truth
    case .all(let parts): parts.allSatisfy { matches($0, value) }
    case .any(let parts): parts.contains { matches($0, value) }
    case .not(let part): !matches(part, value)
    case .test(let test): test.matches(value)
    case .computed(let computation, let test): test.matches(computation.result(value))
    }
  }
}
