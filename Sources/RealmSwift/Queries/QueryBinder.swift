// SPDX-License-Identifier: Apache-2.0

// From what a query string says to a query over the properties of a class.

import Foundation
import RealmQuery
import RealmStorage

/// Puts arguments and key paths into a query that was read.
///
/// Whatever does not fit ends the process with a text that says how: a query string is part of the
/// program, like the name of a property.
struct QueryBinder {
  /// Follows key paths from the class that the query is about.
  private let paths: QueryPathBinder
  private let arguments: [Any]

  /// The query that `format` stands for, with `arguments` in their places.
  ///
  /// - Parameter info: The class that the query is about; nil for a collection of values.
  static func query(
    _ format: String, _ arguments: [Any], of core: RealmCore, on info: ClassInfo?
  ) -> BoundQuery {
    let parsed: ParsedQuery
    do throws(QuerySyntaxError) {
      parsed = try QueryParser.parse(format)
    } catch { throwRealmException("\(error)") }
    let paths = QueryPathBinder(core, info?.schema, arguments)
    let binder = QueryBinder(paths: paths, arguments: arguments)
    return BoundQuery(
      condition: binder.node(parsed.condition),
      steps: parsed.modifiers.map { binder.step($0, info) })
  }

  private func step(_ modifier: ParsedQuery.Modifier, _ info: ClassInfo?) -> QueryStep {
    switch modifier {
    case .sort(let terms):
      return .sort(
        SortOrder(
          terms.map {
            SortOrder.Criterion(sortPath($0.keyPath, info), isAscending: $0.isAscending)
          }))
    case .distinct(let keyPaths):
      return .distinct(SortOrder(keyPaths.map { SortOrder.Criterion(sortPath($0, info)) }))
    case .limit(let operand): return .limit(count(operand, of: "LIMIT"))
    case .offset(let operand): return .offset(count(operand, of: "OFFSET"))
    }
  }

  private func sortPath(_ parsed: ParsedKeyPath, _ info: ClassInfo?) -> PropertyPath {
    let path = paths.path(parsed)
    return path.propertyPath(info?.columnNames(path.names) ?? path.names)
  }

  private func count(_ operand: ParsedOperand, of modifier: String) -> Int {
    guard let count = value(operand) as? Int, count >= 0 else {
      throwRealmException("\(modifier) needs a number that is not negative.")
    }
    return count
  }

  // MARK: Conditions

  private func node(_ condition: ParsedCondition) -> QueryNode {
    switch condition {
    case .constant(let truth): return .constant(truth)
    case .and(let parts): return parts.map(node).reduced(QueryNode.and)
    case .or(let parts): return parts.map(node).reduced(QueryNode.or)
    case .not(let part): return .not(node(part))
    case .comparison(let comparison): return node(comparison)
    }
  }

  private func node(_ comparison: ParsedComparison) -> QueryNode {
    let operation = comparison.operation
    switch comparison.quantifier {
    case nil:
      let node = node(comparison, operation)
      checkAggregates(comparison, operation)
      return node
    case .any:
      checkCollection(comparison)
      return node(comparison, operation)
    case .no:
      checkCollection(comparison)
      return .not(node(comparison, operation))
    case .all:
      checkCollection(comparison)
      return all(comparison, operation)
    }
  }

  /// All elements pass if none fails.
  private func all(
    _ comparison: ParsedComparison, _ operation: ComparisonOperator
  ) -> QueryNode {
    guard case .path(let path) = operand(comparison.left, beside: nil),
      let length = path.collectionLength, length < path.names.count
    else { throwRealmException("ALL modifier not supported") }
    var collection = path
    collection.names = Array(path.names[..<length])
    return .comparison(
      .matchCount(collection, .not(node(comparison, operation))), .equal, .constant(0), [])
  }

  private func node(
    _ comparison: ParsedComparison, _ operation: ComparisonOperator
  ) -> QueryNode {
    let left = operand(comparison.left, beside: comparison.right)
    switch operation {
    case .between:
      let ends = values(comparison.right, beside: comparison.left)
      guard ends.count == 2, isPath(left) else {
        throwRealmException(
          "Predicate with BETWEEN operator must compare a KeyPath with an aggregate with two values"
        )
      }
      return .between(left, ends[0], ends[1])
    case .in:
      if case .path(let collection) = operand(comparison.right, beside: comparison.left) {
        guard case .constant(let value) = left else {
          throwRealmException("The left side of IN must be a value if the right is a key path.")
        }
        return .contains(collection, value)
      }
      if let region = region(comparison.right), case .path(let path) = left {
        return .within(path, region.geoRegion, shape: region)
      }
      guard isPath(left) else {
        throwRealmException("Operator 'IN' requires a keypath on one side.")
      }
      return .oneOf(left, values(comparison.right, beside: comparison.left))
    default:
      let right = operand(comparison.right, beside: comparison.left)
      if isPath(left) { return .comparison(left, operation, right, comparison.options) }
      guard isPath(right) else {
        throwRealmException("Predicate expressions must compare a keypath and a value.")
      }
      guard let mirrored = operation.mirrored else {
        throwRealmException(
          "Operator '\(operation.text)' requires a keypath on the left side.")
      }
      return .comparison(right, mirrored, left, comparison.options)
    }
  }

  /// The argument, if it is a shape on the earth.
  private func region(_ operand: ParsedOperand) -> (any GeoShape)? {
    guard case .argument(let number) = operand, number < arguments.count else { return nil }
    return arguments[number] as? any GeoShape
  }

  private func isPath(_ node: QueryNode) -> Bool {
    switch node {
    case .path, .root, .matchCount, .arithmetic: true
    default: false
    }
  }

  // MARK: Checks

  private func paths(_ comparison: ParsedComparison) -> [QueryPath] {
    func paths(_ operand: ParsedOperand) -> [QueryPath] {
      switch operand {
      case .keyPath(let path): [self.paths.path(path)]
      case .arithmetic(_, let left, let right): paths(left) + paths(right)
      default: []
      }
    }
    return paths(comparison.left) + paths(comparison.right)
  }

  /// Without a quantifier, a collection can only be counted, computed with, or looked into.
  private func checkAggregates(_ comparison: ParsedComparison, _ operation: ComparisonOperator) {
    for path in paths(comparison)
    where path.collectionLength != nil && path.function == nil && operation != .in
      && operation != .contains && path.parts.isEmpty
    {
      throwRealmException(
        "Key paths that include a collection property must use aggregate operations")
    }
  }

  private func checkCollection(_ comparison: ParsedComparison) {
    guard
      paths(comparison).contains(where: { $0.collectionLength != nil || !$0.parts.isEmpty })
    else {
      throwRealmException(
        "Aggregate operations can only be used on key paths that include an collection property")
    }
  }

  // MARK: Operands

  /// - Parameter other: the other side, whose type decides what 1 means beside a Bool.
  private func operand(_ operand: ParsedOperand, beside other: ParsedOperand?) -> QueryNode {
    switch operand {
    case .keyPath(let path):
      let bound = paths.path(path)
      return bound.names.isEmpty ? .root : .path(bound)
    case .matchCount(let collection, let condition): return matchCount(collection, condition)
    case .arithmetic(let operation, let left, let right):
      return .arithmetic(
        operation, self.operand(left, beside: nil), self.operand(right, beside: nil))
    default: return .constant(fitting(value(operand), beside: other))
    }
  }

  private func matchCount(
    _ collection: ParsedKeyPath, _ condition: ParsedCondition
  ) -> QueryNode {
    let (path, target) = paths.resolve(collection)
    guard path.collectionLength != nil, path.function == nil, let target else {
      throwRealmException("SUBQUERY is only supported for collections of objects.")
    }
    let inner = QueryBinder(paths: paths.from(target), arguments: arguments).node(condition)
    var start = path
    start.collectionLength = path.names.count
    return .matchCount(start, inner.prefixed(by: path))
  }

  /// A constant as the program knows it.
  private func value(_ operand: ParsedOperand) -> Any {
    switch operand {
    case .null: return Any?.none as Any
    case .bool(let truth): return truth
    case .integer(let number): return Int(number)
    case .number(let number): return number
    case .string(let text): return text
    case .time(let seconds, let nanoseconds):
      return Date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    case .objectId(let digits):
      do { return try ObjectId(string: digits) } catch {
        throwRealmException("Invalid predicate: 'oid(\(digits))' is no object id")
      }
    case .uuid(let text):
      guard let value = UUID(uuidString: text) else {
        throwRealmException("Invalid predicate: 'uuid(\(text))' is no UUID")
      }
      return value
    case .argument(let number):
      guard number < arguments.count else {
        throwRealmException(
          "Invalid predicate: argument \(number + 1) is missing; there are \(arguments.count)")
      }
      return arguments[number]
    case .list(let elements): return elements.map(value)
    case .keyPath, .matchCount, .arithmetic:
      throwRealmException("Predicate expressions must compare a keypath and a value.")
    }
  }

  /// The values of a list, or of a collection among the arguments.
  private func values(_ operand: ParsedOperand, beside other: ParsedOperand) -> [Any] {
    let whole = value(operand)
    guard !(whole is String), let elements = unwrapped(whole) as? any Sequence else {
      throwRealmException("Predicate with IN operator must compare a KeyPath with an aggregate")
    }
    func all<S: Sequence>(_ sequence: S) -> [Any] {
      sequence.map { fitting($0 as Any, beside: other) }
    }
    return all(elements)
  }

  /// The value as the other side needs it: 0 and 1 are also what a Bool can be.
  private func fitting(_ value: Any, beside other: ParsedOperand?) -> Any {
    guard case .keyPath(let path) = other, let number = value as? Int, number == 0 || number == 1,
      paths.type(path) == .bool
    else { return value }
    return number == 1
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
