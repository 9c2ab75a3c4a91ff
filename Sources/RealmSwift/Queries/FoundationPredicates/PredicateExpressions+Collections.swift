// SPDX-License-Identifier: Apache-2.0

// Elements of collections: of a realm, and of those that a predicate captured.

import Foundation
import RealmQuery
import RealmTables

extension PredicateScope {
  /// The elements of a collection that the program captured.
  func constants(_ expression: Any) throws -> [Any] {
    guard case .choice(let cases) = try meaning(expression), cases.count == 1,
      cases[0].condition == nil, let value = cases[0].value.constant,
      let values = enumerable(value)
    else {
      throw PredicateTranslationError("A constant collection is needed in a predicate.")
    }
    func all<S: Sequence>(_ sequence: S) -> [Any] { sequence.map { $0 as Any } }
    return all(values)
  }

  /// A collection, with the condition that was already put on its elements.
  fileprivate func elements(
    _ sequence: Any
  ) throws -> (path: PropertyPath, condition: RealmQuery.Predicate)? {
    switch try meaning(sequence) {
    case .elements(let path, let condition): return (path, condition)
    case .choice(let cases) where cases.count == 1 && cases[0].condition == nil:
      guard let path = cases[0].value.path else { return nil }
      guard path.function == nil else { throw PredicateTranslationError(type(of: sequence)) }
      return (path, .constant(true))
    default: throw PredicateTranslationError(type(of: sequence))
    }
  }

  /// The condition on an element of a collection.
  fileprivate func test(
    _ path: PropertyPath, _ variable: PredicateExpressions.VariableID, _ test: Any
  ) throws -> RealmQuery.Predicate {
    var element = path
    element.elementStart = path.components.count
    return try binding(variable, to: .path(element)).condition(test)
  }

  /// The number of elements that meet a condition; of values, it must be about the element alone.
  fileprivate func count(
    _ path: PropertyPath, _ condition: RealmQuery.Predicate, of type: Any.Type
  ) throws -> Operand {
    guard type is ObjectBase.Type || condition.isAbout(elementsOf: path) else {
      throw PredicateTranslationError(
        "A condition on a value in a collection can only ask about an object in a single "
          + "comparison.")
    }
    guard condition.countedCollections.allSatisfy({ $0.isOfElement(of: path) }) else {
      throw PredicateTranslationError(
        "A condition on an element of a collection can only go through the collections of that "
          + "element.")
    }
    guard !(type is ObjectBase.Type) || !condition.namesObjects(around: path) else {
      throw PredicateTranslationError(
        "An object by itself can only be compared in a predicate that compares nothing else in the "
          + "collection.")
    }
    return condition.counted(in: path) {
      $0.elementStart >= path.components.count && $0.starts(with: path)
    }
  }
}

extension Comparison {
  /// Whether one side is an element of a collection, and the other leads through no collection.
  fileprivate func isOfSingleAndElement(of collection: PropertyPath) -> Bool {
    left.isElement(of: collection) && right.isSingle
      || right.isElement(of: collection) && left.isSingle
  }
}

extension Operand {
  /// The condition that the value equals one of several.
  fileprivate func isOne(of values: [Any]) -> RealmQuery.Predicate {
    .comparison(Comparison(self, .in, .constant(values)))
  }
}

extension PredicateExpressions.Filter: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard let (path, condition) = try scope.elements(sequence) else {
      throw PredicateTranslationError(Self.self)
    }
    let both = condition.both(try scope.test(path, variable.key, filter))
    _ = try scope.count(path, both, of: LHS.Output.Element.self)
    return .elements(path, both)
  }
}

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard let (path, condition) = try scope.elements(sequence) else {
      var result = RealmQuery.Predicate.constant(false)
      for value in try scope.constants(sequence) {
        result = result.either(
          try scope.binding(variable.key, to: .constant(value)).condition(test))
      }
      return .condition(result)
    }
    let test = try scope.test(path, variable.key, test)
    if case .comparison(let comparison) = test, case .constant = condition,
      !test.isAbout(elementsOf: path),
      !(LHS.Output.Element.self is ObjectBase.Type) || comparison.isOfSingleAndElement(of: path)
    {
      // True for some element, as every comparison of a collection.
      return .condition(test)
    }
    let count = try scope.count(path, condition.both(test), of: LHS.Output.Element.self)
    return .condition(.comparison(Comparison(count, .greater, .value(.int(0)))))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard let (path, condition) = try scope.elements(sequence) else {
      var result = RealmQuery.Predicate.constant(true)
      for value in try scope.constants(sequence) {
        result = result.both(
          try scope.binding(variable.key, to: .constant(value)).condition(test))
      }
      return .condition(result)
    }
    let fails = try scope.test(path, variable.key, test).negated
    let count = try scope.count(path, condition.both(fails), of: LHS.Output.Element.self)
    return .condition(count.equals(.value(.int(0))))
  }
}

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    if let (path, condition) = try scope.elements(sequence) {
      guard case .constant = condition else { throw PredicateTranslationError(Self.self) }
      return try scope.meaning(element).mapped(Self.self) { element in
        guard !element.isQueriedObject else {
          throw PredicateTranslationError(
            "An object by itself cannot be looked for in its collections.")
        }
        return .condition(
          element.constant == nil
            ? Operand.path(path).equals(element)
            : .comparison(Comparison(element, .in, .path(path))))
      }
    }
    let values = try scope.constants(sequence)
    return try scope.meaning(element).mapped(Self.self) { element in
      guard element.constant != nil else { return .condition(element.isOne(of: values)) }
      var isOne = RealmQuery.Predicate.constant(false)
      for value in values {
        isOne = isOne.either(try PredicateScope.comparison(element, .equal, .constant(value)))
      }
      return .condition(isOne)
    }
  }
}

// MARK: - Extremes

extension PredicateScope {
  /// The least or greatest element; nil if there is none.
  fileprivate func extreme(
    _ function: CollectionFunction, _ expression: Any, of type: Any.Type,
    _ constant: (Any) -> Any??
  ) throws -> TranslatedExpression {
    try meaning(expression).mapped(type) { operand in
      if let path = operand.path, path.function == nil {
        return .value(.path(path.applying(function)))
      }
      guard let value = operand.constant, let found = constant(value) else {
        throw PredicateTranslationError(type)
      }
      return .value(.constant(found as Any))
    }
  }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard Elements.Output.Element.self is any MinMaxType.Type else {
      throw PredicateTranslationError(Self.self)
    }
    return try scope.extreme(.max, elements, of: Self.self) { ($0 as? Elements.Output)?.max() }
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard Elements.Output.Element.self is any MinMaxType.Type else {
      throw PredicateTranslationError(Self.self)
    }
    return try scope.extreme(.min, elements, of: Self.self) { ($0 as? Elements.Output)?.min() }
  }
}

// MARK: - Subscripts

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    guard Wrapped.Output.self is any OrderedCollection.Type else {
      throw PredicateTranslationError(Self.self)
    }
    let positions = try scope.meaning(index)
    return try scope.meaning(wrapped).mapped(Self.self) { list in
      try positions.mapped(Self.self) { position in
        guard let path = list.path, let position = position.constant as? Int,
          position >= 0
        else { throw PredicateTranslationError(Self.self) }
        return .value(.path(path.taking(.index(position))))
      }
    }
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.lookUp(
      key, in: wrapped, Key.Output.self, Value.self, fallback: .null, Self.self)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
  func meaning(in scope: PredicateScope) throws -> TranslatedExpression {
    try scope.lookUp(
      key, in: wrapped, Key.Output.self, Default.Output.self, fallback: scope.meaning(`default`),
      Self.self)
  }
}

extension PredicateScope {
  /// The value of a captured dictionary for a key, which may be a property.
  fileprivate func lookUp<Key: Hashable, Value>(
    _ key: Any, in dictionary: Any, _: Key.Type, _: Value.Type, fallback: TranslatedExpression,
    _ type: Any.Type
  ) throws -> TranslatedExpression {
    let keys = try meaning(key)
    return try meaning(dictionary).mapped(type) { dictionary in
      guard let entries = dictionary.constant as? [Key: Value] else {
        throw PredicateTranslationError(type)
      }
      return try keys.mapped(type) { key in
        if let constant = key.constant as? Key {
          return entries[constant].map { .value(.constant($0)) } ?? fallback
        }
        var cases = entries.map { entry in
          TranslatedCase(
            condition: key.equals(.constant(entry.key)),
            value: .constant(entry.value))
        }
        let isOther = key.isOne(of: entries.keys.map { $0 as Any }).negated
        cases += try fallback.cases(of: type).map { $0.under(isOther) }
        return .choice(cases)
      }
    }
  }
}
