// SPDX-License-Identifier: Apache-2.0

// The expressions of Foundation's predicates as conditions and operands of queries.
//
// Queries know no `a ? b : c` and no `a ?? b`. So a value is a choice between several, each with
// the condition under which it is the one, and what is asked of it is asked of each of them.

import RealmQuery
import RealmTables

/// An expression of a predicate, translated.
indirect enum TranslatedExpression {
  /// True or false.
  case condition(Predicate)
  /// One of several values; their conditions exclude each other.
  case choice([TranslatedCase])
  /// Those elements of a collection that meet a condition.
  case elements(PropertyPath, Predicate)

  /// One value, whatever the object.
  static func value(_ operand: Operand) -> TranslatedExpression {
    .choice([TranslatedCase(condition: nil, value: operand)])
  }

  static var null: TranslatedExpression { value(.value(.null)) }
}

/// One value that an expression may have.
struct TranslatedCase {
  /// The condition under which the expression has the value; nil means always.
  var condition: Predicate?
  /// A path, a constant, or what is computed from them.
  var value: Operand

  /// The case under one more condition.
  func under(_ other: Predicate?) -> TranslatedCase {
    TranslatedCase(condition: Predicate.both(other, condition), value: value)
  }
}

extension TranslatedExpression {
  /// More cases than a person writes by hand.
  static let maximumCaseCount = 256

  /// The values, of which a condition has two.
  func cases(of type: Any.Type) throws -> [TranslatedCase] {
    switch self {
    case .condition(let condition):
      [
        TranslatedCase(condition: condition, value: .value(.bool(true))),
        TranslatedCase(condition: condition.negated, value: .value(.bool(false))),
      ]
    case .choice(let cases): cases
    case .elements: throw PredicateTranslationError(type)
    }
  }

  /// The condition that the value is true.
  func condition(of type: Any.Type) throws -> Predicate {
    if case .condition(let condition) = self { return condition }
    var result = Predicate.constant(false)
    for one in try cases(of: type) {
      let isTrue: Predicate
      switch one.value {
      case .path: isTrue = .isTrue(one.value)
      default:
        guard let value = one.value.constant else { throw PredicateTranslationError(type) }
        isTrue = .constant(unwrapped(value) as? Bool ?? false)
      }
      result = result.either(Predicate.both(one.condition, isTrue) ?? isTrue)
    }
    return result
  }

  /// The expression after a transformation of each of its values.
  func mapped(
    _ type: Any.Type, _ transform: (Operand) throws -> TranslatedExpression
  ) throws -> TranslatedExpression {
    let cases = try cases(of: type)
    if cases.count == 1, cases[0].condition == nil { return try transform(cases[0].value) }
    var results: [TranslatedCase] = []
    for one in cases {
      results += try transform(one.value).cases(of: type).map { $0.under(one.condition) }
    }
    guard results.count <= TranslatedExpression.maximumCaseCount else {
      throw PredicateTranslationError("A predicate distinguishes too many cases.")
    }
    return .choice(results)
  }
}

extension Predicate {
  /// Whether a condition is known to be true, or false, whatever the object.
  private var truth: Bool? { if case .constant(let truth) = self { truth } else { nil } }

  /// Both conditions; nil means that there is none.
  static func both(_ left: Predicate?, _ right: Predicate?) -> Predicate? {
    guard let left, left.truth != true else { return right }
    guard let right, right.truth != true else { return left }
    return left.truth == false || right.truth == false ? .constant(false) : .and(left, right)
  }

  func both(_ other: Predicate) -> Predicate { Predicate.both(self, other) ?? .constant(true) }

  func either(_ other: Predicate) -> Predicate {
    if truth == true || other.truth == false { return self }
    if other.truth == true || truth == false { return other }
    return .or(self, other)
  }

  var negated: Predicate { truth.map { .constant(!$0) } ?? .not(self) }

  /// Whether the condition is about an element of a collection by itself, or about an object by
  /// itself whose collection, or within whose collections, that is.
  func namesObjects(around collection: PropertyPath) -> Bool {
    paths.contains { $0.isElement && collection.starts(with: $0) }
  }

  /// Whether the condition is about the elements of a collection and nothing else.
  func isAbout(elementsOf collection: PropertyPath) -> Bool {
    paths.allSatisfy { $0.isOfElement(of: collection) }
  }
}

extension Operand {
  /// The value of a constant of the program; nil for what depends on the object.
  var constant: Any? {
    switch self {
    case .constant(let value): value
    case .value(.bool(let truth)): truth
    case .value(.null): Any?.none as Any
    default: nil
    }
  }

  /// The condition that a value is nil.
  var isNull: Predicate {
    if case .matchCount = self { return .constant(false) }
    return constant.map { .constant(unwrapped($0) == nil) } ?? equals(.value(.null))
  }

  /// The condition that the value equals another one.
  func equals(_ other: Operand) -> Predicate { .comparison(Comparison(self, .equal, other)) }

  /// Whether this is an element of a collection by itself, and not a property of it.
  func isElement(of collection: PropertyPath) -> Bool {
    guard let path else { return false }
    return path.isElement && path.components == collection.components
  }

  /// Whether this is the object of the query by itself.
  var isQueriedObject: Bool { path?.components.isEmpty ?? false }

  /// Whether this is a path that leads through no collection.
  var isSingle: Bool {
    guard let path, !path.components.isEmpty else { return false }
    return path.firstMany() == nil
  }
}

extension PropertyPath {
  func isOfElement(of collection: PropertyPath) -> Bool {
    elementStart == collection.components.count && starts(with: collection)
  }
}
