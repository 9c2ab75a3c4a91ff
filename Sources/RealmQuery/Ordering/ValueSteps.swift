// SPDX-License-Identifier: Apache-2.0

// Filtering and ordering values that are elements themselves. Queries call such a value `self`.

import RealmStorage
package import RealmTables

/// What queries do with a list of values.
package enum ValueSteps {
  /// The path by which queries name a value that is an element.
  package static let path = PropertyPath([])

  /// The values that match.
  ///
  /// - Throws: `QueryError.invalid` if the condition asks about anything but `self`.
  package static func filter(
    _ values: [TableValue], by predicate: Predicate
  ) throws(QueryError) -> [TableValue] {
    let condition = try ValueFilter(predicate)
    return values.filter { value in value.withMixed(condition.matches) }
  }

  /// The values in their order; equal ones keep theirs.
  package static func sort(_ values: [TableValue], by order: SortOrder) -> [TableValue] {
    let isAscending = order.criteria.first?.isAscending ?? true
    // Sorting positions keeps equal values in their order, whichever way they go.
    let positions = values.indices.sorted { left, right in
      let order = values[left].compare(to: values[right])
      return order == 0 ? left < right : isAscending ? order < 0 : order > 0
    }
    return positions.map { values[$0] }
  }

  /// The values after one step.
  package static func apply(
    _ step: QueryStep, to values: [TableValue]
  ) throws(QueryError) -> [TableValue] {
    switch step {
    case .filter(let predicate): return try filter(values, by: predicate)
    case .sort(let order): return sort(values, by: order)
    case .distinct: return distinct(values)
    case .limit(let count): return Array(values.prefix(count))
    case .offset(let count): return Array(values.dropFirst(count))
    }
  }

  /// The first of each run of equal values, wherever they stand.
  private static func distinct(_ values: [TableValue]) -> [TableValue] {
    let positions = values.indices.sorted { left, right in
      let order = values[left].compare(to: values[right])
      return order == 0 ? left < right : order < 0
    }
    var firsts: [Int] = []
    var previous: Int?
    for position in positions {
      if let previous, values[previous].compare(to: values[position]) == 0 { continue }
      firsts.append(position)
      previous = position
    }
    return firsts.sorted().map { values[$0] }
  }
}

/// A condition on values, bound to its constants.
struct ValueFilter {
  private indirect enum Node {
    case constant(Bool)
    case all([Node])
    case any([Node])
    case not(Node)
    case test(ValueTest)
  }

  private let node: Node
  /// Owns the bytes of the constants.
  private let plan = QueryPlan()

  init(_ predicate: Predicate) throws(QueryError) {
    node = try ValueFilter.node(predicate, plan)
  }

  private static func node(_ predicate: Predicate, _ plan: QueryPlan) throws(QueryError) -> Node {
    switch predicate {
    case .constant(let truth): return .constant(truth)
    case .all(let parts): return .all(try nodes(parts, plan))
    case .any(let parts): return .any(try nodes(parts, plan))
    case .not(let part): return .not(try node(part, plan))
    case .comparison(let comparison): return .test(try test(comparison, plan))
    case .within: throw .invalid("Queries of a collection of values can only ask about 'self'.")
    }
  }

  private static func nodes(
    _ parts: [Predicate], _ plan: QueryPlan
  ) throws(QueryError) -> [Node] {
    var nodes: [Node] = []
    for part in parts { nodes.append(try node(part, plan)) }
    return nodes
  }

  private static func test(
    _ comparison: Comparison, _ plan: QueryPlan
  ) throws(QueryError) -> ValueTest {
    let path = Operand.property(ValueSteps.path)
    var comparison = comparison
    if comparison.right == path, let mirrored = comparison.operation.mirrored {
      comparison = Comparison(path, mirrored, comparison.left, options: comparison.options)
    }
    guard comparison.left == path else {
      throw .invalid("Queries of a collection of values can only ask about 'self'.")
    }
    let end = ResolvedEnd(type: .mixed, target: nil, isElement: false)
    return try plan.test(comparison, end, path: ValueSteps.path)
  }

  func matches(_ value: MixedValue) -> Bool { ValueFilter.matches(node, value) }

  private static func matches(_ node: Node, _ value: MixedValue) -> Bool {
    switch node {
    case .constant(let truth): truth
    case .all(let parts): parts.allSatisfy { matches($0, value) }
    case .any(let parts): parts.contains { matches($0, value) }
    case .not(let part): !matches(part, value)
    case .test(let test): test.matches(value)
    }
  }
}
