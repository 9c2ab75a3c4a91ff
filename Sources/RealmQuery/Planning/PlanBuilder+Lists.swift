// SPDX-License-Identifier: Apache-2.0

// Comparisons in which a side is a list, or must be true for more than one element; and of objects
// by themselves.

import RealmStorage
import RealmTables

extension BoundComparison {
  /// Whether each value of one side is held against each of the other.
  var isOfLists: Bool {
    if leftQuantifier != .any || rightQuantifier != .any { return true }
    switch (left, operation, right) {
    case (.values, _, _): return true
    case (_, .in, .values), (_, .between, .values): return false
    case (_, _, .values): return true
    default: return false
    }
  }
}

extension PlanBuilder {
  /// The node of a comparison of lists.
  func lists(_ comparison: BoundComparison, _ table: Table) throws(QueryError) -> Int {
    var operation = comparison.operation
    if operation == .in { operation = .equal }
    guard operation != .between, operation != .text else {
      throw .invalid("Operator '\(operation.text)' cannot compare lists.")
    }
    try checkTypes(comparison, table)
    let left = try list(comparison.left, beside: comparison.right, table)
    let right = try list(comparison.right, beside: comparison.left, table)
    return plan.add(
      .general(
        GeneralCondition(
          left: left,
          right: .quantified(
            comparison.leftQuantifier, operation, comparison.options,
            comparison.rightQuantifier, right))))
  }

  /// A reader of one side; constants must fit what the other side leads to.
  private func list(
    _ operand: BoundOperand, beside other: BoundOperand, _ table: Table
  ) throws(QueryError) -> ValueReader {
    let values: [TableValue]
    switch operand {
    case .value(let value): values = [value]
    case .values(let all): values = all
    case .property, .matchCount, .outer, .arithmetic: return try reader(of: operand, table)
    }
    var end = ResolvedEnd(type: .mixed, target: nil, isElement: false)
    var path = ColumnPath([])
    if case .property(let property) = other {
      path = property
      end = try PathResolver(path: property, source: source).resolve(from: table).end
    } else if case .outer(let level, let property) = other {
      path = property
      end = try outer(level, property).end
    }
    var constants: [MixedValue] = []
    for value in values { constants.append(try plan.constant(value, for: end, path: path)) }
    return ValueReader(end: .constants(constants))
  }

  /// The node of a comparison of the object itself with others; nil if it is none.
  func identity(_ comparison: BoundComparison, _ table: Table) throws(QueryError) -> Int? {
    let itself = BoundOperand.property(ColumnPath.itself)
    let other: BoundOperand
    switch (comparison.left, comparison.right) {
    case (itself, let right): other = right
    case (let left, itself): other = left
    default: return nil
    }
    let objects: [TableValue]
    switch (other, comparison.operation) {
    case (.value(let value), .equal), (.value(let value), .notEqual): objects = [value]
    case (.values(let values), .in): objects = values
    default: throw .invalid("An object by itself can only be equal to others.")
    }
    var places: [RowPlace] = []
    for object in objects {
      let key: ObjectKey
      switch object {
      case .link(let object): key = object
      case .typedLink(let owner, let object) where owner == table.key: key = object
      case .typedLink, .null: continue
      default:
        throw .typeMismatch(
          object.text, of: object.typeName, path: ColumnPath(["self"]), "object")
      }
      let row = try QueryError.storing(table.row(of: key))
      if let row { places.append(RowPlace(row)) }
    }
    let node = plan.add(.identity(IdentityCondition(places: places)))
    return comparison.operation == .notEqual ? plan.add(.not(node)) : node
  }
}
