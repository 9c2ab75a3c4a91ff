// SPDX-License-Identifier: Apache-2.0

// Variables, constants, properties, and what is computed from them.

import Foundation
import RealmQuery
import RealmTables

extension PredicateExpressions.Variable: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.meaning(of: key)
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func meaning(in scope: PredicateScope) -> TranslatedExpression { .value(.constant(value)) }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func meaning(in scope: PredicateScope) -> TranslatedExpression { .null }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    let whole = try scope.meaning(root)
    if case .elements(let path, let condition) = whole {
      let count = condition.counted(in: path) {
        $0.elementStart >= path.components.count && $0.starts(with: path)
      }
      switch kind ?? member {
      case .collectionCount: return .value(count)
      case .collectionIsEmpty: return .condition(count.equals(.value(.int(0))))
      default: throw unknown
      }
    }
    return try whole.mapped(Self.self, property)
  }

  private var unknown: PredicateTranslationError {
    PredicateTranslationError("The key path \(keyPath) has no query.")
  }

  private func property(of operand: Operand) throws -> TranslatedExpression {
    guard let path = operand.path else {
      // Captured values are read now.
      guard let value = operand.constant as? Root.Output else { throw unknown }
      return .value(.constant(value[keyPath: keyPath]))
    }
    if let kind = kind ?? member { return try member(kind, of: path) }
    if let part = mapPart { return .value(.path(path.taking(part))) }
    if isRawValue { return .value(operand) }
    guard let owner = Root.Output.self as? ObjectBase.Type,
      let type = Output.self as? any _Persistable.Type
    else { throw unknown }
    let name = _name(for: keyPath, of: owner)
    guard !name.isEmpty else { throw unknown }
    let shape = type._shape
    let isCollection = shape.collection != .none || shape.type == .linkingObjects
    return .value(.path(path.followed(by: name, isMany: isCollection)))
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

  private func member(_ kind: Kind, of path: PropertyPath) throws -> TranslatedExpression {
    let isCollection = Root.Output.self is any QueriedCollection.Type || path.lastPart != nil
    switch kind {
    case .collectionCount where isCollection: return .value(.path(path.applying(.count)))
    case .collectionIsEmpty where isCollection:
      return .condition(Operand.path(path.applying(.count)).equals(.value(.int(0))))
    case .collectionIsEmpty where Root.Output.self is String.Type:
      return .condition(Operand.path(path).equals(.constant("")))
    case .collectionIsEmpty where Root.Output.self is Data.Type:
      return .condition(Operand.path(path).equals(.constant(Data())))
    case .collectionFirst where isCollection: return .value(.path(path.taking(.first)))
    case .bidirectionalCollectionLast where isCollection:
      return .value(.path(path.taking(.last)))
    default: throw unknown
    }
  }

  private var mapPart: CollectionPart? {
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

/// A collection whose members a predicate can name.
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

/// A map whose members a predicate can name.
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
  /// A value computed from two expressions; from constants at once.
  fileprivate func arithmetic<Number>(
    _ left: Any, _ operation: ArithmeticOperator, _ right: Any,
    _ compute: (Number, Number) -> Number?
  ) throws -> TranslatedExpression {
    let others = try meaning(right)
    return try meaning(left).mapped(type(of: left)) { first in
      try others.mapped(type(of: right)) { second in
        if let left = first.constant as? Number, let right = second.constant as? Number,
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
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    switch op {
    case .add: return try scope.arithmetic(lhs, .add, rhs) { $0 as Output + $1 }
    case .subtract: return try scope.arithmetic(lhs, .subtract, rhs) { $0 as Output - $1 }
    case .multiply: return try scope.arithmetic(lhs, .multiply, rhs) { $0 as Output * $1 }
    @unknown default: throw PredicateTranslationError(Self.self)
    }
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.arithmetic(PredicateExpressions.Value(0 as Output), .subtract, wrapped) {
      $0 as Output - $1
    }
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.arithmetic(lhs, .divide, rhs) { $0 as Output / $1 }
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.arithmetic(lhs, .divide, rhs) { (left: Output, right: Output) in
      right == 0 ? nil : left / right
    }
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.arithmetic(lhs, .remainder, rhs) { (left: Output, right: Output) in
      right == 0 ? nil : left % right
    }
  }
}
