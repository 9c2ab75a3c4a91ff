// SPDX-License-Identifier: Apache-2.0

// A query as a predicate that the engine runs.

import RealmQuery
import RealmStorage
import RealmTables

/// Turns queries into predicates over the objects of one realm.
struct PredicateBuilder {
  let core: RealmCore
  /// The class that the query is about; nil for a collection of values.
  private let info: ClassInfo?
  /// The names of the columns that lead to each collection whose elements a condition is about, the
  /// outermost first, behind none for the objects that the query is about.
  private var collections: [[String]] = [[]]

  /// Every path that begins at an element begins with these, which are left out.
  private var prefix: [String] { collections.last ?? [] }

  init(_ core: RealmCore, _ info: ClassInfo?) {
    self.core = core
    self.info = info
  }

  /// The condition that a node stands for.
  func predicate(_ node: QueryNode) -> Predicate {
    if let node = node.expanded { return predicate(node) }
    switch node {
    case .and: return .all(node.conjuncts.map(predicate))
    case .or: return .any(node.disjuncts.map(predicate))
    case .not(let node): return .not(predicate(node))
    case .path:
      return .comparison(Comparison(operand(node), .equal, .value(.bool(true))))
    case .constant(let value as Bool): return .constant(value)
    case .comparison(let left, let operation, let right, let options):
      return comparison(left, operation, right, options)
    case .between(let left, let lower, let upper):
      return .comparison(
        Comparison(operand(left), .between, .values([value(lower), value(upper)])))
    case .oneOf(let left, let values):
      return .comparison(Comparison(operand(left), .in, .values(values.compactMap(known))))
    case .contains(let path, let element):
      guard let element = known(element) else { return .constant(false) }
      return .comparison(Comparison(operand(path), .equal, .value(element)))
    case .within(let path, let region, _): return .within(property(path), region)
    case .quantified(let quantified): return .comparison(comparison(quantified))
    case .root, .constant, .list, .matchCount, .arithmetic:
      throwRealmException("A query must be a condition.")
    }
  }

  private func comparison(
    _ left: QueryNode, _ operation: ComparisonOperator, _ right: QueryNode, _ options: TextOptions
  ) -> Predicate {
    if case .path(let path) = left, case .path(let other) = right, isMany(path), isMany(other) {
      throwRealmException("Comparing two collection columns is not permitted.")
    }
    if case .constant(let constant) = right, known(constant) == nil {
      // No object of this realm equals one that is deleted, unmanaged, or elsewhere.
      return .constant(operation == .notEqual)
    }
    return .comparison(Comparison(operand(left), operation, operand(right), options: options))
  }

  private func comparison(_ quantified: QuantifiedComparison) -> Comparison {
    var comparison = Comparison(
      operand(quantified.left), quantified.operation, operand(quantified.right),
      options: quantified.options)
    comparison.leftQuantifier = quantified.leftQuantifier
    comparison.rightQuantifier = quantified.rightQuantifier
    return comparison
  }

  private func operand(_ node: QueryNode) -> Operand {
    switch node {
    case .list(let values): .values(values.compactMap(known))
    case .root where collections.count > 1: .outer(collections.count - 1, ValueSteps.path)
    case .root: .property(ValueSteps.path)
    case .path(let path): self.operand(path)
    case .constant(let constant): .value(value(constant))
    case .matchCount(let path, let condition): matchCount(path, condition)
    case .arithmetic(let operation, let left, let right):
      .arithmetic(operation, self.operand(left), self.operand(right))
    default: throwRealmException("A condition cannot be compared.")
    }
  }

  /// A path of the object that the condition is about.
  private func property(_ path: QueryPath) -> PropertyPath {
    guard case .property(let property) = operand(path) else {
      throwRealmException("A condition on a place in a subquery must be about its elements.")
    }
    return property
  }

  private func operand(_ path: QueryPath) -> Operand {
    let property = columns(path)
    let start = start(of: path, property)
    let relative = property.droppingFirst(collections[start].count)
    let level = collections.count - 1 - start
    return level == 0 ? .property(relative) : .outer(level, relative)
  }

  /// Which of the collections the path begins at an element of.
  private func start(of path: QueryPath, _ property: PropertyPath) -> Int {
    let start = collections.lastIndex {
      $0.count <= path.base ?? .max && property.names.starts(with: $0)
    }
    guard let start, path.base != nil || start == collections.count - 1 else {
      throwRealmException("Subqueries must contain a keypath starting with a collection.")
    }
    return start
  }

  /// Whether the path leads from where it begins to any number of values.
  private func isMany(_ path: QueryPath) -> Bool {
    guard let length = path.collectionLength, path.function == nil else { return false }
    return path.base == nil || length > collections[start(of: path, columns(path))].count
  }

  /// The path by the names of the columns.
  private func columns(_ path: QueryPath) -> PropertyPath {
    path.propertyPath(info?.columnNames(path.names) ?? path.names)
  }

  private func matchCount(_ path: QueryPath, _ condition: QueryNode) -> Operand {
    guard let length = path.collectionLength else {
      throwRealmException("Subqueries must contain a keypath starting with a collection.")
    }
    var collection = path
    collection.names = Array(path.names[..<length])
    collection.function = nil
    collection.parts = path.parts.filter { $0.key < length }
    let outer = columns(collection)
    guard outer.names.starts(with: prefix) else {
      throwRealmException("Subqueries must contain a keypath starting with a collection.")
    }
    var inner = self
    inner.collections.append(outer.names)
    return .matchCount(outer.droppingFirst(prefix.count), inner.predicate(condition))
  }

  private func value(_ constant: Any) -> TableValue {
    guard let value = known(constant) else {
      throwRealmException("A query cannot compare with '\(constant)'.")
    }
    return value
  }

  private func known(object: ObjectBase) -> TableValue? {
    guard let owner = object._owner, let info = object._info, object._locate(info) else {
      return nil
    }
    // Frozen and live objects of one file have the same keys.
    guard owner === core || info.core.file === core.file else {
      throwRealmException("Object must be from the Realm being queried")
    }
    return .typedLink(info.tableKey, object._key)
  }

  /// The constant in the engine's terms; nil for an object that this realm does not have.
  private func known(_ constant: Any) -> TableValue? {
    guard let constant = unwrapped(constant) else { return .null }
    if let time = constant as? Timestamp { return .timestamp(time) }
    if let any = constant as? AnyRealmValue {
      if case .object(let object) = any { return known(object: object) }
      return AnyRealmValue._encode(any, _RealmContext(core)).value
    }
    if let object = modelObject(constant) { return known(object: object) }
    guard let type = type(of: constant) as? any _Storable.Type,
      let stored = type._storedScalar(constant)
    else { throwRealmException("A query cannot compare with '\(constant)'.") }
    return stored.value
  }
}
