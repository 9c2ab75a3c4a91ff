// SPDX-License-Identifier: Apache-2.0

// From a condition as it was written to one over columns and stored values: the only code in which
// a query meets the classes of a realm. All mistakes that need the classes are found here, with the
// documented messages; those that need the columns are found by the plan.

import RealmTables

/// Resolves the names and constants of conditions on the objects of one class, or on values.
package struct QueryBinder {
  let schema: any QuerySchema
  /// The classes of the objects that the condition is about, and of those around whose elements
  /// these are, the outermost first; nil for values.
  let owners: [(any QueryClass)?]

  /// - Parameter owner: The class that the query is about; nil for a collection of values.
  package init(_ schema: any QuerySchema, on owner: (any QueryClass)?) {
    self.init(schema: schema, owners: [owner])
  }

  private init(schema: any QuerySchema, owners: [(any QueryClass)?]) {
    self.schema = schema
    self.owners = owners
  }

  // MARK: - Queries

  /// The condition and the steps of a query string.
  ///
  /// - Throws: `QueryError.invalid` for whatever does not fit.
  package func bind(
    _ query: ParsedQuery
  ) throws(QueryError) -> (condition: BoundPredicate, steps: [QueryStep]) {
    (try bind(query.condition), try query.modifiers.map(step))
  }

  private func step(_ modifier: ParsedQuery.Modifier) throws(QueryError) -> QueryStep {
    switch modifier {
    case .sort(let terms):
      var criteria: [SortOrder.Criterion] = []
      for term in terms {
        let columns = try path(term.keyPath).columns
        criteria.append(SortOrder.Criterion(columns, isAscending: term.isAscending))
      }
      return .sort(SortOrder(criteria))
    case .distinct(let paths):
      var criteria: [SortOrder.Criterion] = []
      for path in paths { criteria.append(SortOrder.Criterion(try self.path(path).columns)) }
      return .distinct(SortOrder(criteria))
    case .limit(let operand): return .limit(try count(operand, of: "LIMIT"))
    case .offset(let operand): return .offset(try count(operand, of: "OFFSET"))
    }
  }

  private func count(_ operand: Operand, of modifier: String) throws(QueryError) -> Int {
    switch operand {
    case .value(.int(let count)) where count >= 0: return Int(count)
    case .argument(let count as Int) where count >= 0: return count
    default: throw .invalid("\(modifier) needs a number that is not negative.")
    }
  }

  // MARK: - Conditions

  /// The condition over columns and stored values.
  ///
  /// - Throws: `QueryError.invalid` for whatever does not fit.
  package func bind(_ predicate: Predicate) throws(QueryError) -> BoundPredicate {
    if let flaw = predicate.flawOfSize { throw .invalid(flaw) }
    return try bound(predicate)
  }

  private func bound(_ predicate: Predicate) throws(QueryError) -> BoundPredicate {
    switch predicate {
    case .constant(let truth): .constant(truth)
    case .node(let node):
      switch node.kind {
      case .and: .all(try predicate.parts(of: .and).map(bound))
      case .or: .any(try predicate.parts(of: .or).map(bound))
      case .not: .not(try bound(node.left))
      }
    case .comparison(let comparison): try bind(comparison)
    case .isTrue(let operand):
      .comparison(BoundComparison(try self.operand(operand), .equal, .value(.bool(true))))
    }
  }

  private func bind(_ comparison: Comparison) throws(QueryError) -> BoundPredicate {
    if let typed = try typed(comparison) { return typed }
    let sides = try Sides(comparison, self)
    if comparison.operation == .matches { throw sides.unsupportedOperator }
    if comparison.leftQuantifier != nil { try sides.requireCollection() }
    if let types = try typeTest(comparison, sides) { return types }
    if let each = try eachElement(comparison, sides) { return each }
    if let lists = try lists(comparison, sides) { return lists }
    let condition = try single(comparison, sides)
    if comparison.leftQuantifier == nil { try sides.requireQuantifiers() }
    return comparison.leftQuantifier == Quantifier.none ? .not(condition) : condition
  }

  /// A typed comparison of a path with a single constant, of which the compiler has checked all
  /// that query strings are checked for; nil for others.
  private func typed(_ comparison: Comparison) throws(QueryError) -> BoundPredicate? {
    guard case .path(let path) = comparison.left, !path.isUntyped, path.lastPart != .type,
      !comparison.right.isComputed, comparison.operation.takesOneValue,
      comparison.leftQuantifier == nil, comparison.rightQuantifier == nil
    else { return nil }
    return try bind(
      comparison.left, self.path(path), comparison.operation, comparison.right, comparison.options)
  }

  /// A comparison that some element passes.
  private func single(
    _ comparison: Comparison, _ sides: Sides
  ) throws(QueryError) -> BoundPredicate {
    switch comparison.operation {
    case .between: return try between(comparison, sides)
    case .in: return try membership(comparison, sides)
    default: break
    }
    if comparison.left.isComputed {
      try sides.requireOrder()
      return try bind(
        comparison.left, sides.left, comparison.operation, comparison.right, comparison.options)
    }
    guard comparison.right.isComputed else {
      throw .invalid("Predicate expressions must compare a keypath and a value.")
    }
    guard let mirrored = comparison.operation.mirrored else {
      throw .invalid(
        "Operator '\(comparison.operation.text)' requires a keypath on the left side.")
    }
    return try bind(comparison.right, sides.right, mirrored, comparison.left, comparison.options)
  }

  private func between(
    _ comparison: Comparison, _ sides: Sides
  ) throws(QueryError) -> BoundPredicate {
    guard comparison.left.isComputed else { throw needsTwoValues }
    let left = try operand(comparison.left)
    if let range = try range(comparison.right) {
      return try bind(left, in: range)
    }
    guard let ends = try values(comparison.right, beside: sides.left), ends.count == 2 else {
      throw needsTwoValues
    }
    return .comparison(BoundComparison(left, .between, .values(try ends.map(stored))))
  }

  private var needsTwoValues: QueryError {
    .invalid(
      "Predicate with BETWEEN operator must compare a KeyPath with an aggregate with two values")
  }

  private func membership(
    _ comparison: Comparison, _ sides: Sides
  ) throws(QueryError) -> BoundPredicate {
    if case .path(let path) = comparison.right, !comparison.left.isComputed, !path.isElement {
      return try bind(
        comparison.right, sides.right, .equal, comparison.left, comparison.options, isSearch: true)
    }
    if let region = try region(comparison.right), let path = sides.left, !path.isItself {
      if let flaw = region.flaw {
        throw .invalid("Invalid region in GEOWITHIN query for parameter '\(region)': '\(flaw)'")
      }
      guard path.written.level == 0 else {
        throw .invalid("A condition on a place in a subquery must be about its elements.")
      }
      return .within(path.columns, region)
    }
    guard comparison.left.isComputed else {
      throw .invalid("Operator 'IN' requires a keypath on one side.")
    }
    let left = try operand(comparison.left)
    if let range = try range(comparison.right), range.isCheaper(for: sides.left) {
      return try bind(left, in: range)
    }
    guard let values = try values(comparison.right, beside: sides.left) else {
      throw .invalid("Predicate with IN operator must compare a KeyPath with an aggregate")
    }
    return try oneOf(left, sides.left, values, comparison.options)
  }

  /// A comparison with a path, or with what is computed, on the left.
  ///
  /// - Parameters:
  ///   - path: The left side, if it is a path.
  ///   - isSearch: Whether an object that the realm does not have is found nowhere.
  private func bind(
    _ left: Operand, _ path: BoundPath?, _ operation: ComparisonOperator, _ right: Operand,
    _ options: TextOptions, isSearch: Bool = false
  ) throws(QueryError) -> BoundPredicate {
    let bound = if let path { path.operand } else { try operand(left) }
    if right.isComputed {
      if let path, path.isMany, case .path(let other) = right, try self.path(other).isMany {
        throw .invalid("Comparing two collection columns is not permitted.")
      }
      return .comparison(
        BoundComparison(bound, operation, try operand(right), options: options))
    }
    let constant = try constant(right, beside: path)
    if let path, operation == .equal || operation == .notEqual,
      let equality = try contents(path, operation, constant)
    {
      return equality
    }
    guard let value = try known(constant) else {
      // No object of this realm equals one that is deleted, unmanaged, or elsewhere.
      return .constant(operation == .notEqual && !isSearch)
    }
    return .comparison(BoundComparison(bound, operation, .value(value), options: options))
  }

  // MARK: - Operands

  /// A key path, followed to columns.
  func path(_ path: PropertyPath) throws(QueryError) -> BoundPath {
    let path = placed(path)
    let isKnown = path.level < owners.count
    return try BoundPath(
      path, from: isKnown ? owners[owners.count - 1 - path.level] : nil,
      isAboutValues: owners.count == 1 && owners[0] == nil, in: schema)
  }

  /// The path with the level at which it begins: a name without a variable is one of the element,
  /// and of the object that the query is about only if the element has none.
  func placed(_ path: PropertyPath) -> PropertyPath {
    guard path.isBare, path.level < owners.count, let element = owners.last ?? nil else {
      return path
    }
    if case .property(let name, _)? = path.components.first,
      element.queryProperty(named: name) == nil,
      owners[owners.count - 1 - path.level]?.queryProperty(named: name) != nil
    {
      return path
    }
    var path = path
    path.level = 0
    return path
  }

  /// A path, or what is computed from several.
  func operand(_ operand: Operand) throws(QueryError) -> BoundOperand {
    switch operand {
    case .path(let path): return try self.path(path).operand
    case .matchCount(let collection, let condition): return try matchCount(collection, condition)
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(operation, try self.operand(left), try self.operand(right))
    case .condition: throw .invalid("A condition cannot be compared.")
    case .value, .longNumber, .object, .region, .constant, .argument, .list:
      return .value(try stored(constant(operand, beside: nil)))
    }
  }

  /// A constant as the other side needs it.
  func constant(_ operand: Operand, beside other: BoundPath?) throws(QueryError) -> QueryConstant {
    let constant: QueryConstant
    switch operand {
    case .value(.binary(let bytes)) where other?.comparedType == .string:
      // Clients write strings with quotes and line breaks as their bytes.
      let text = String(validating: bytes, as: UTF8.self)
      constant = .value(text.map { .string($0) } ?? .binary(bytes))
    case .value(let value): constant = .value(value)
    case .longNumber(let digits): constant = .value(number(digits, beside: other))
    case .object(let name, let key):
      constant = try schema.object(
        ofClass: name, primaryKey: stored(self.constant(key, beside: nil)))
    case .region(let literal): constant = .region(try region(literal))
    case .constant(let value): constant = try self.constant(value)
    case .argument(let value):
      guard let found = try schema.argument(value) else { throw QueryBinder.unsupported(value) }
      if case .list(let values) = found, let other, other.mayBeList {
        constant = try self.constant(values())
      } else {
        constant = found
      }
    case .list, .path, .matchCount, .arithmetic, .condition:
      throw .invalid("Predicate expressions must compare a keypath and a value.")
    }
    return try fitting(constant, beside: other)
  }

  /// A value of the program.
  func constant(_ value: Any) throws(QueryError) -> QueryConstant {
    guard let constant = try schema.constant(value) else { throw QueryBinder.unsupported(value) }
    return constant
  }

  private func matchCount(
    _ collection: PropertyPath, _ condition: Predicate
  ) throws(QueryError) -> BoundOperand {
    let path = try self.path(collection)
    guard path.isMany else {
      throw .invalid("SUBQUERY is only supported for collections of objects and of values.")
    }
    return .matchCount(path.columns, try around(path).bound(condition), level: path.written.level)
  }

  /// The binder of conditions on the elements of a collection.
  func around(_ path: BoundPath) -> QueryBinder {
    QueryBinder(schema: schema, owners: owners + [path.target])
  }
}

extension Operand {
  /// Whether the operand depends on the object; others are constants.
  var isComputed: Bool {
    switch self {
    case .path, .matchCount, .arithmetic, .condition: true
    case .value, .longNumber, .object, .region, .constant, .argument, .list: false
    }
  }
}

extension ComparisonOperator {
  /// Whether the right side is one value, for each of the types that have the operator.
  fileprivate var takesOneValue: Bool {
    switch self {
    case .in, .between, .matches: false
    default: true
    }
  }
}
