// SPDX-License-Identifier: Apache-2.0

// A query as a predicate that the engine runs.

import RealmQuery
import RealmSession
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

  /// The condition that a node stands for. Traps for a mistake.
  func predicate(_ node: QueryNode) -> Predicate { QueryMistake.trapping { try build(node) } }

  /// The condition that a node stands for.
  ///
  /// - Throws: `QueryMistake`.
  func build(_ node: QueryNode) throws -> Predicate {
    if let node = node.expanded { return try build(node) }
    switch node {
    case .and: return .all(try node.conjuncts.map(build))
    case .or: return .any(try node.disjuncts.map(build))
    case .not(let node): return .not(try build(node))
    case .path:
      return .comparison(Comparison(try operand(node), .equal, .value(.bool(true))))
    case .constant(let value as Bool): return .constant(value)
    case .comparison(let left, let operation, let right, let options):
      return try comparison(left, operation, right, options)
    case .between(let left, let lower, let upper):
      return .comparison(
        Comparison(try operand(left), .between, .values([try value(lower), try value(upper)])))
    case .oneOf(let left, let values):
      return .comparison(
        Comparison(try operand(left), .in, .values(try values.compactMap(known))))
    case .contains(let path, let element):
      guard let element = try known(element) else { return .constant(false) }
      return .comparison(Comparison(try operand(path), .equal, .value(element)))
    case .within(let path, let region, let shape):
      if let flaw = region.flaw {
        throw QueryMistake("Invalid region in GEOWITHIN query for parameter '\(shape)': '\(flaw)'")
      }
      return .within(try property(path), region)
    case .quantified(let quantified): return .comparison(try comparison(quantified))
    case .root, .constant, .list, .matchCount, .arithmetic:
      throw QueryMistake("A query must be a condition.")
    }
  }

  private func comparison(
    _ left: QueryNode, _ operation: ComparisonOperator, _ right: QueryNode, _ options: TextOptions
  ) throws -> Predicate {
    if case .path(let path) = left, case .path(let other) = right, try isMany(path),
      try isMany(other)
    {
      throw QueryMistake("Comparing two collection columns is not permitted.")
    }
    if case .constant(let constant) = right, try known(constant) == nil {
      // No object of this realm equals one that is deleted, unmanaged, or elsewhere.
      return .constant(operation == .notEqual)
    }
    return .comparison(
      Comparison(try operand(left), operation, try operand(right), options: options))
  }

  private func comparison(_ quantified: QuantifiedComparison) throws -> Comparison {
    var comparison = Comparison(
      try operand(quantified.left), quantified.operation, try operand(quantified.right),
      options: quantified.options)
    comparison.leftQuantifier = quantified.leftQuantifier
    comparison.rightQuantifier = quantified.rightQuantifier
    return comparison
  }

  private func operand(_ node: QueryNode) throws -> Operand {
    switch node {
    case .list(let values): .values(try values.compactMap(known))
    case .root where collections.count > 1: .outer(collections.count - 1, ValueSteps.path)
    case .root: .property(ValueSteps.path)
    case .path(let path): try self.operand(path)
    case .constant(let constant): .value(try value(constant))
    case .matchCount(let path, let condition): try matchCount(path, condition)
    case .arithmetic(let operation, let left, let right):
      .arithmetic(operation, try self.operand(left), try self.operand(right))
    default: throw QueryMistake("A condition cannot be compared.")
    }
  }

  /// A path of the object that the condition is about.
  private func property(_ path: QueryPath) throws -> PropertyPath {
    guard case .property(let property) = try operand(path) else {
      throw QueryMistake("A condition on a place in a subquery must be about its elements.")
    }
    return property
  }

  private func operand(_ path: QueryPath) throws -> Operand {
    let property = columns(path)
    let start = try start(of: path, property)
    let relative = property.droppingFirst(collections[start].count)
    let level = collections.count - 1 - start
    return level == 0 ? .property(relative) : .outer(level, relative)
  }

  /// Which of the collections the path begins at an element of.
  private func start(of path: QueryPath, _ property: PropertyPath) throws -> Int {
    let start = collections.lastIndex {
      $0.count <= path.base ?? .max && property.names.starts(with: $0)
    }
    guard let start, path.base != nil || start == collections.count - 1 else {
      throw QueryMistake("Subqueries must contain a keypath starting with a collection.")
    }
    return start
  }

  /// Whether the path leads from where it begins to any number of values.
  private func isMany(_ path: QueryPath) throws -> Bool {
    guard let length = path.collectionLength, path.function == nil else { return false }
    if path.base == nil { return true }
    return length > collections[try start(of: path, columns(path))].count
  }

  /// The path by the names of the columns.
  private func columns(_ path: QueryPath) -> PropertyPath {
    path.propertyPath(info?.columnNames(path.names) ?? path.names)
  }

  private func matchCount(_ path: QueryPath, _ condition: QueryNode) throws -> Operand {
    guard let length = path.collectionLength else {
      throw QueryMistake("Subqueries must contain a keypath starting with a collection.")
    }
    var collection = path
    collection.names = Array(path.names[..<length])
    collection.function = nil
    collection.parts = path.parts.filter { $0.key < length }
    let outer = columns(collection)
    guard outer.names.starts(with: prefix) else {
      throw QueryMistake("Subqueries must contain a keypath starting with a collection.")
    }
    var inner = self
    inner.collections.append(outer.names)
    return .matchCount(outer.droppingFirst(prefix.count), try inner.build(condition))
  }

  private func value(_ constant: Any) throws -> TableValue {
    guard let value = try known(constant) else {
      throw QueryMistake("A query cannot compare with '\(constant)'.")
    }
    return value
  }

  private func known(object: ObjectBase) throws -> TableValue? {
    guard let owner = object._owner, let info = object._info, object._locate(info) else {
      return nil
    }
    // Frozen and live objects of one file have the same keys.
    guard owner === core || info.core.file === core.file else {
      throw QueryMistake("Object must be from the Realm being queried")
    }
    return .typedLink(info.tableKey, object._key)
  }

  /// The constant in the engine's terms; nil for an object that this realm does not have.
  private func known(_ constant: Any) throws -> TableValue? {
    guard let constant = unwrapped(constant) else { return .null }
    if let time = constant as? Timestamp { return .timestamp(time) }
    if let any = constant as? AnyRealmValue {
      if case .object(let object) = any { return try known(object: object) }
      return AnyRealmValue._encode(any, _RealmContext(core)).value
    }
    if let object = modelObject(constant) { return try known(object: object) }
    guard let type = type(of: constant) as? any _Storable.Type,
      let stored = type._storedScalar(constant)
    else { throw QueryMistake("A query cannot compare with '\(constant)'.") }
    return stored.value
  }
}
