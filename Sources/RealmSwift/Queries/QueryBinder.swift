// SPDX-License-Identifier: Apache-2.0

// From what a query string says to a query over the properties of a class.

import RealmQuery
import RealmSession

/// Puts arguments and key paths into a query that was read.
///
/// Whatever does not fit is a `QueryMistake` whose text says how.
struct QueryBinder {
  /// Follows key paths from the class that the query is about.
  let paths: QueryPathBinder
  let arguments: [Any]
  /// The realm; nil where there is none yet.
  let core: RealmCore?

  /// The query that `format` stands for, with `arguments` in their places. Traps for a mistake: the
  /// string is part of the program, like the name of a property.
  ///
  /// - Parameter info: The class that the query is about; nil for a collection of values.
  static func query(
    _ format: String, _ arguments: [Any], of core: RealmCore, on info: ClassInfo?
  ) -> BoundQuery {
    QueryMistake.trapping { try bound(format, arguments, of: core, on: info?.schema, info) }
  }

  /// The query that `format` stands for, with `arguments` in their places.
  ///
  /// - Throws: `QueryMistake`.
  static func bound(
    _ format: String, _ arguments: [Any], of core: RealmCore?, on schema: ModelSchema?,
    _ info: ClassInfo? = nil
  ) throws -> BoundQuery {
    let parsed: ParsedQuery
    do throws(QuerySyntaxError) {
      parsed = try QueryParser.parse(format, argumentCount: arguments.count)
    } catch { throw QueryMistake(error) }
    let paths = QueryPathBinder(core, schema, arguments)
    let binder = QueryBinder(paths: paths, arguments: arguments, core: core)
    return BoundQuery(
      condition: try binder.node(parsed.condition),
      steps: try parsed.modifiers.map { try binder.step($0, info) })
  }

  private func step(
    _ modifier: ParsedQuery.Modifier, _ info: ClassInfo?
  ) throws -> QueryStep {
    switch modifier {
    case .sort(let terms):
      return .sort(
        SortOrder(
          try terms.map {
            SortOrder.Criterion(try sortPath($0.keyPath, info), isAscending: $0.isAscending)
          }))
    case .distinct(let keyPaths):
      return .distinct(SortOrder(try keyPaths.map { SortOrder.Criterion(try sortPath($0, info)) }))
    case .limit(let operand): return .limit(try count(operand, of: "LIMIT"))
    case .offset(let operand): return .offset(try count(operand, of: "OFFSET"))
    }
  }

  private func sortPath(_ parsed: ParsedKeyPath, _ info: ClassInfo?) throws -> PropertyPath {
    let path = try paths.path(parsed)
    return path.propertyPath(info?.columnNames(path.names) ?? path.names)
  }

  private func count(_ operand: ParsedOperand, of modifier: String) throws -> Int {
    switch operand {
    case .integer, .argument:
      if let count = try value(operand) as? Int, count >= 0 { return count }
    default: break
    }
    throw QueryMistake("\(modifier) needs a number that is not negative.")
  }

  // MARK: Conditions

  private func node(_ condition: ParsedCondition) throws -> QueryNode {
    switch condition {
    case .constant(let truth): return .constant(truth)
    case .and(let parts): return try parts.map(node).reduced(QueryNode.and)
    case .or(let parts): return try parts.map(node).reduced(QueryNode.or)
    case .not(let part): return .not(try node(part))
    case .comparison(let comparison): return try node(comparison)
    }
  }

  private func node(_ comparison: ParsedComparison) throws -> QueryNode {
    if let name = comparison.unsupported { throw try unsupported(name, comparison.left) }
    if comparison.quantifier != nil { try checkCollection(comparison) }
    if let types = try typeTest(comparison) { return types }
    if let each = try eachElement(comparison) { return each }
    if let lists = try lists(comparison) { return lists }
    let node = try node(comparison, comparison.operation)
    if comparison.quantifier == nil { try checkAggregates(comparison, comparison.operation) }
    return comparison.quantifier == .no ? .not(node) : node
  }

  private func node(
    _ comparison: ParsedComparison, _ operation: ComparisonOperator
  ) throws -> QueryNode {
    let left = try operand(comparison.left, beside: comparison.right)
    switch operation {
    case .between:
      if let range = range(comparison.right), isPath(left) { return range.condition(left) }
      guard isPath(left), let ends = try ends(comparison.right, beside: comparison.left) else {
        throw QueryMistake(
          "Predicate with BETWEEN operator must compare a KeyPath with an aggregate with two values"
        )
      }
      return .between(left, ends.lower, ends.upper)
    case .in:
      if case .keyPath = comparison.right, case .constant(let value) = left,
        case .path(let collection) = try operand(comparison.right, beside: comparison.left)
      {
        return comparison.options.isEmpty
          ? .contains(collection, value)
          : .comparison(.path(collection), .equal, .constant(value), comparison.options)
      }
      if let region = try region(comparison.right), case .path(let path) = left {
        return .within(path, region.geoRegion, shape: region)
      }
      guard isPath(left) else {
        throw QueryMistake("Operator 'IN' requires a keypath on one side.")
      }
      if let range = range(comparison.right), try range.isCheaper(than: comparison.left, paths) {
        return range.condition(left)
      }
      return oneOf(
        left, try values(comparison.right, beside: comparison.left), comparison.options)
    default:
      let right = try operand(comparison.right, beside: comparison.left)
      if isPath(left) {
        try checkOrder(comparison)
        return .comparison(left, operation, right, comparison.options)
      }
      guard isPath(right) else {
        throw QueryMistake("Predicate expressions must compare a keypath and a value.")
      }
      guard let mirrored = operation.mirrored else {
        throw QueryMistake(
          "Operator '\(operation.text)' requires a keypath on the left side.")
      }
      return .comparison(right, mirrored, left, comparison.options)
    }
  }

  func isPath(_ node: QueryNode) -> Bool {
    switch node {
    case .path, .root, .matchCount, .arithmetic: true
    default: false
    }
  }

  // MARK: Checks

  /// No type has the operator.
  private func unsupported(
    _ operation: String, _ left: ParsedOperand
  ) throws -> QueryMistake {
    var type = "number"
    if case .keyPath(let path) = left { type = try paths.type(path)?.description ?? "object" }
    return QueryMistake("Operator '\(operation)' not supported for type '\(type)'")
  }

  /// Neither of true and false comes first.
  private func checkOrder(_ comparison: ParsedComparison) throws {
    guard [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparison.operation),
      case .keyPath(let path) = comparison.left, try paths.type(path) == .bool,
      comparison.right != .null
    else { return }
    throw QueryMistake("Operator '\(comparison.operation.text)' not supported for type 'bool'")
  }

  func paths(_ comparison: ParsedComparison) throws -> [QueryPath] {
    func paths(_ operand: ParsedOperand) throws -> [QueryPath] {
      switch operand {
      case .keyPath(let path): [try self.paths.path(path)]
      case .arithmetic(_, let left, let right): try paths(left) + paths(right)
      default: []
      }
    }
    return try paths(comparison.left) + paths(comparison.right)
  }

  /// Without a quantifier, a collection can only be counted, computed with, or looked into.
  private func checkAggregates(
    _ comparison: ParsedComparison, _ operation: ComparisonOperator
  ) throws {
    for path in try paths(comparison)
    where path.collectionLength != nil && path.function == nil && operation != .in
      && operation != .contains && path.parts.isEmpty
      && !path.names.contains(where: { $0.hasPrefix("@links.") })
    {
      throw QueryMistake(
        "Key paths that include a collection property must use aggregate operations")
    }
  }

  private func checkCollection(_ comparison: ParsedComparison) throws {
    guard
      try paths(comparison).contains(where: { $0.collectionLength != nil || !$0.parts.isEmpty })
        || isList(comparison.left)
    else {
      throw QueryMistake(
        "Aggregate operations can only be used on key paths that include an collection property")
    }
  }

  // MARK: Operands

  /// - Parameter other: the other side, whose type decides what 1 means beside a Bool.
  func operand(_ operand: ParsedOperand, beside other: ParsedOperand?) throws -> QueryNode {
    switch operand {
    case .keyPath(let path):
      let bound = try paths.path(path)
      let isItself = bound.names.isEmpty && bound.parts.isEmpty && path.level == 0
      return isItself ? .root : .path(bound)
    case .matchCount(let collection, let condition): return try matchCount(collection, condition)
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(
        operation, try self.operand(left, beside: nil), try self.operand(right, beside: nil))
    default: return .constant(try fitting(value(operand, beside: other), beside: other))
    }
  }

  /// Whether the values on the left are among some values.
  func oneOf(_ left: QueryNode, _ values: [Any], _ options: TextOptions) -> QueryNode {
    guard !options.isEmpty, !values.isEmpty else { return .oneOf(left, values) }
    return values.map { .comparison(left, .equal, .constant($0), options) }
      .reduced(QueryNode.or)
  }

  private func matchCount(
    _ collection: ParsedKeyPath, _ condition: ParsedCondition
  ) throws -> QueryNode {
    let (path, target) = try paths.resolve(collection)
    guard path.collectionLength != nil, path.function == nil else {
      throw QueryMistake("SUBQUERY is only supported for collections of objects and of values.")
    }
    let inner = try QueryBinder(paths: paths.from(target), arguments: arguments, core: core)
      .node(condition)
    var start = path
    start.collectionLength = path.names.count
    return .matchCount(start, inner.prefixed(by: path))
  }
}

/// A query string with its arguments.
struct BoundQuery {
  var condition: QueryNode
  /// What the string asks for besides, in its order.
  var steps: [QueryStep]
}

extension [QueryNode] {
  /// The nodes joined, left to right.
  func reduced(_ join: (QueryNode, QueryNode) -> QueryNode) -> QueryNode {
    dropFirst().reduce(self[0], join)
  }
}
