// SPDX-License-Identifier: Apache-2.0

// Binding of the commonest conditions: properties of the queried class itself, compared with
// strings and numbers. `QueryBinder` can bind all conditions, and takes longer than many queries.

import RealmQuery
import RealmTables

/// Binds conditions that consist of plain comparisons, with the result of `QueryBinder`.
///
/// A comparison is plain if its left side is a property of one value, its right side a constant of
/// the property's own type, and that type is one of the commonest.
struct PlainBinder {
  private let schema: ModelSchema

  init(_ schema: ModelSchema) { self.schema = schema }

  /// The condition over columns and stored values; nil if it is for `QueryBinder`.
  func bind(_ condition: Predicate) -> BoundPredicate? {
    switch condition {
    case .comparison(let comparison):
      guard let (property, value) = sides(comparison) else { return nil }
      return .comparison(
        BoundComparison(
          property.operand, comparison.operation, .value(value), options: comparison.options))
    case .node(let node):
      guard condition.flawOfSize == nil else { return nil }
      switch node.kind {
      case .not: return bind(node.left).map { .not($0) }
      case .and: return bindAll(condition.parts(of: .and)).map { .all($0) }
      case .or: return bindAll(condition.parts(of: .or)).map { .any($0) }
      }
    case .constant, .isTrue: return nil
    }
  }

  /// A condition that is one equality, which can be bound later; nil for others.
  func equality(_ condition: Predicate) -> PlainEquality? {
    guard case .comparison(let comparison) = condition, comparison.operation == .equal,
      comparison.options.isEmpty, let (property, value) = sides(comparison)
    else { return nil }
    return PlainEquality(property: property, value: value)
  }

  private func sides(_ comparison: Comparison) -> (ModelProperty, TableValue)? {
    guard case .constant(let constant) = comparison.right,
      let (property, type) = property(comparison), let value = TableValue(plain: constant),
      value.type == type
    else { return nil }
    return (property, value)
  }

  private func bindAll(_ conditions: [Predicate]) -> [BoundPredicate]? {
    var bound: [BoundPredicate] = []
    bound.reserveCapacity(conditions.count)
    for condition in conditions {
      guard let next = bind(condition) else { return nil }
      bound.append(next)
    }
    return bound
  }

  /// The left side of a comparison with one value, and its type; nil if it is not plain.
  func property(_ comparison: Comparison) -> (ModelProperty, ColumnType)? {
    guard comparison.leftQuantifier == nil, comparison.rightQuantifier == nil,
      comparison.operation.isPlain, case .path(let path) = comparison.left,
      let name = path.plainName, let property = schema.property(named: name),
      property.shape.collection == .none, let type = property.shape.columnType
    else { return nil }
    return (property, type)
  }
}

extension ComparisonOperator {
  /// Whether values of all types that have the operator are compared with one constant, as it is.
  fileprivate var isPlain: Bool {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .beginsWith, .endsWith,
      .contains, .like:
      true
    case .in, .between, .text, .matches: false
    }
  }
}

extension PropertyPath {
  /// The name of the property, if the path is that of one value of the queried object itself.
  fileprivate var plainName: String? {
    guard components.count == 1, level == 0, !isBare, elementStart == 0,
      case .property(let name, isMany: false?) = components[0]
    else { return nil }
    return name
  }
}

extension TableValue {
  /// The stored form of a value of one of the commonest types, which may be that of an optional;
  /// nil for values of others, and for none.
  ///
  /// Comparing types costs a fraction of the casts that find out what a value is.
  init?(plain value: Any) {
    let type = Swift.type(of: value)
    if type == String.self || type == String?.self, let text = value as? String {
      self = .string(text)
    } else if type == Int.self || type == Int?.self, let number = value as? Int {
      self = .int(Int64(number))
    } else if type == Double.self || type == Double?.self, let number = value as? Double {
      self = .double(number)
    } else if type == Bool.self || type == Bool?.self, let truth = value as? Bool {
      self = .bool(truth)
    } else {
      return nil
    }
  }
}
