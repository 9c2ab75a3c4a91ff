// SPDX-License-Identifier: Apache-2.0

// Variables, constants, properties, and what is computed from them.

import Foundation
import RealmQuery

extension PredicateExpressions.Variable: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.meaning(of: key)
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func meaning(in scope: PredicateScope) -> PredicateMeaning { .value(.constant(value)) }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func meaning(in scope: PredicateScope) -> PredicateMeaning { .null }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    let whole = try scope.meaning(root)
    if case .elements(let path, let condition) = whole {
      let count = QueryNode.matchCount(path, condition)
      switch kind ?? member {
      case .collectionCount: return .value(count)
      case .collectionIsEmpty: return .condition(.comparison(count, .equal, .constant(0), []))
      default: throw unknown
      }
    }
    return try whole.mapped(Self.self, property)
  }

  private var unknown: PredicateTranslationError {
    PredicateTranslationError("The key path \(keyPath) has no query.")
  }

  /// A property of one value.
  private func property(of node: QueryNode) throws -> PredicateMeaning {
    let path: QueryPath
    switch node {
    case .constant(let value):
      // What the program captured is looked at now.
      guard let value = value as? Root.Output else { throw unknown }
      return .value(.constant(value[keyPath: keyPath]))
    case .path(let found): path = found
    case .root: path = QueryPath(names: [], base: 0)
    default: throw unknown
    }
    if let kind = kind ?? member { return try member(kind, of: path) }
    if let part = mapPart { return .value(.path(path.taking(part))) }
    if isRawValue { return .value(node) }
    guard let owner = Root.Output.self as? ObjectBase.Type,
      let type = Output.self as? any _Persistable.Type
    else { throw unknown }
    let name = _name(for: keyPath, of: owner)
    guard !name.isEmpty else { throw unknown }
    let shape = type._shape
    let isCollection = shape.collection != .none || shape.type == .linkingObjects
    return .value(.path(path.followed(by: name, isCollection: isCollection)))
  }

  // MARK: Members of collections and texts

  private typealias Kind = PredicateExpressions.KeyPath<Root, Output>.CommonKeyPathKind

  /// Foundation knows the members of collections by the standard library's declarations only.
  private var member: Kind? {
    if keyPath == \Data.isEmpty as AnyKeyPath { return .collectionIsEmpty }
    guard let collection = Root.Output.self as? any QueriedCollection.Type else { return nil }
    switch keyPath as AnyKeyPath {
    case collection.countKeyPath: return .collectionCount
    case collection.isEmptyKeyPath: return .collectionIsEmpty
    case collection.firstKeyPath: return .collectionFirst
    case collection.lastKeyPath: return .bidirectionalCollectionLast
    default: return nil
    }
  }

  private func member(_ kind: Kind, of path: QueryPath) throws -> PredicateMeaning {
    let isCollection = Root.Output.self is any QueriedCollection.Type || !path.lastParts.isEmpty
    switch kind {
    case .collectionCount where isCollection: return .value(.path(path.applying(.count)))
    case .collectionIsEmpty where isCollection:
      return .condition(.comparison(.path(path.applying(.count)), .equal, .constant(0), []))
    case .collectionIsEmpty where Root.Output.self is String.Type:
      return .condition(.comparison(.path(path), .equal, .constant(""), []))
    case .collectionIsEmpty where Root.Output.self is Data.Type:
      return .condition(.comparison(.path(path), .equal, .constant(Data()), []))
    case .collectionFirst where isCollection: return .value(.path(path.taking(.first)))
    case .bidirectionalCollectionLast where isCollection:
      return .value(.path(path.taking(.last)))
    default: throw unknown
    }
  }

  /// The keys or the values of a map.
  private var mapPart: QueryPath.Part? {
    guard let map = Root.Output.self as? any QueriedMap.Type else { return nil }
    return map.keysKeyPath == keyPath ? .keys : map.valuesKeyPath == keyPath ? .values : nil
  }

  /// Whether this is the raw value of an enumeration, which is what is stored.
  private var isRawValue: Bool {
    func isRawValue<Choice: PersistableEnum>(_ type: Choice.Type) -> Bool {
      guard let keyPath = keyPath as? KeyPath<Choice, Choice.RawValue> else { return false }
      // Other properties may have the same type.
      return Choice.allCases.allSatisfy { $0[keyPath: keyPath] == $0.rawValue }
    }
    return (Root.Output.self as? any PersistableEnum.Type).map { isRawValue($0) } ?? false
  }
}

extension QueryPath {
  /// The path continued by a property, of an element too where the path ends in one.
  fileprivate func followed(by name: String, isCollection: Bool) -> QueryPath {
    var path = self
    path.names += name.split(separator: ".").map(String.init)
    if isCollection, path.collectionLength == nil { path.collectionLength = path.names.count }
    return path
  }
}

/// A collection whose members can be told apart in a predicate.
protocol QueriedCollection {
  static var countKeyPath: AnyKeyPath { get }
  static var isEmptyKeyPath: AnyKeyPath { get }
  static var firstKeyPath: AnyKeyPath? { get }
  static var lastKeyPath: AnyKeyPath? { get }
}

extension QueriedCollection {
  static var firstKeyPath: AnyKeyPath? { nil }
  static var lastKeyPath: AnyKeyPath? { nil }
}

extension List: QueriedCollection {
  static var countKeyPath: AnyKeyPath { \List.count }
  static var isEmptyKeyPath: AnyKeyPath { \List.isEmpty }
  static var firstKeyPath: AnyKeyPath? { \List.first }
  static var lastKeyPath: AnyKeyPath? { \List.last }
}

extension MutableSet: QueriedCollection {
  static var countKeyPath: AnyKeyPath { \MutableSet.count }
  static var isEmptyKeyPath: AnyKeyPath { \MutableSet.isEmpty }
}

extension LinkingObjects: QueriedCollection {
  static var countKeyPath: AnyKeyPath { \LinkingObjects.count }
  static var isEmptyKeyPath: AnyKeyPath { \LinkingObjects.isEmpty }
}

/// A map whose members can be told apart in a predicate.
private protocol QueriedMap: QueriedCollection {
  static var keysKeyPath: AnyKeyPath { get }
  static var valuesKeyPath: AnyKeyPath { get }
}

extension Map: QueriedCollection, QueriedMap {
  static var countKeyPath: AnyKeyPath { \Map.count }
  static var isEmptyKeyPath: AnyKeyPath { \Map.isEmpty }
  fileprivate static var keysKeyPath: AnyKeyPath { \Map.keys }
  fileprivate static var valuesKeyPath: AnyKeyPath { \Map.values }
}

// MARK: - Arithmetic

extension PredicateScope {
  /// What is computed from two expressions; from constants at once.
  fileprivate func arithmetic<Number>(
    _ left: Any, _ operation: ArithmeticOperator, _ right: Any,
    _ compute: (Number, Number) -> Number?
  ) throws -> PredicateMeaning {
    let others = try meaning(right)
    return try meaning(left).mapped(type(of: left)) { first in
      try others.mapped(type(of: right)) { second in
        if case .constant(let left as Number) = first, case .constant(let right as Number) = second,
          let result = compute(left, right)
        {
          return .value(.constant(result))
        }
        return .value(.arithmetic(operation, first, second))
      }
    }
  }
}

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    switch op {
    case .add: return try scope.arithmetic(lhs, .add, rhs) { $0 as Output + $1 }
    case .subtract: return try scope.arithmetic(lhs, .subtract, rhs) { $0 as Output - $1 }
    case .multiply: return try scope.arithmetic(lhs, .multiply, rhs) { $0 as Output * $1 }
    @unknown default: throw PredicateTranslationError(Self.self)
    }
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.arithmetic(PredicateExpressions.Value(0 as Output), .subtract, wrapped) {
      $0 as Output - $1
    }
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.arithmetic(lhs, .divide, rhs) { $0 as Output / $1 }
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.arithmetic(lhs, .divide, rhs) { (left: Output, right: Output) in
      right == 0 ? nil : left / right
    }
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> PredicateMeaning {
    try scope.arithmetic(lhs, .remainder, rhs) { (left: Output, right: Output) in
      right == 0 ? nil : left % right
    }
  }
}
