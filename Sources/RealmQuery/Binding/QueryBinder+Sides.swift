// SPDX-License-Identifier: Apache-2.0

// Checks of comparisons by the ends of both paths. Paths of typed queries need no check of
// quantifiers: the compiler has made it. Query strings have to say them.

import RealmTables

extension QueryBinder {
  /// The key paths of a comparison.
  struct Sides {
    /// The side, if it is a path by itself.
    let left: BoundPath?
    let right: BoundPath?
    private let comparison: Comparison
    /// Those that are computed with, too.
    private let paths: [BoundPath]
    private let isLeftList: Bool

    init(_ comparison: Comparison, _ binder: QueryBinder) throws(QueryError) {
      self.comparison = comparison
      let leftPaths = try binder.paths(comparison.left)
      let rightPaths = try binder.paths(comparison.right)
      left = comparison.left.path == nil ? nil : leftPaths.first
      right = comparison.right.path == nil ? nil : rightPaths.first
      paths = leftPaths + rightPaths
      isLeftList = try binder.isList(comparison.left)
    }

    /// The error of an operator that no type has.
    var unsupportedOperator: QueryError {
      let type =
        if let left {
          left.comparedType.map { type in
            type == .backlink
              ? "linking objects" : ResolvedEnd(type: type, target: nil, isElement: false).typeName
          } ?? "object"
        } else {
          "number"
        }
      return .invalid("Operator '\(comparison.operation.text)' not supported for type '\(type)'")
    }

    /// Checks that values on the left are in an order: neither of true and false comes first.
    func requireOrder() throws(QueryError) {
      guard [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(comparison.operation),
        left?.comparedType == .bool
      else { return }
      if case .value(.null) = comparison.right { return }
      throw .invalid(
        "Operator '\(comparison.operation.text)' not supported for type 'bool'")
    }

    /// Checks that a quantifier has something to be about.
    func requireCollection() throws(QueryError) {
      guard isLeftList || paths.contains(where: { $0.collectionLength != nil || !$0.hasNoParts })
      else { throw QueryBinder.needsCollection }
    }

    /// Checks that a collection without a quantifier is counted, computed with, or searched.
    func requireQuantifiers() throws(QueryError) {
      guard comparison.operation != .in, comparison.operation != .contains else { return }
      // `"x" == tags` is how clients write `"x" IN tags`.
      if comparison.operation == .equal, !comparison.left.isComputed, right != nil { return }
      for path in paths
      where path.isMany && path.hasNoParts && path.written.isUntyped && !path.leadsThroughLinks {
        throw .invalid(
          "Key paths that include a collection property must use aggregate operations")
      }
    }
  }

  /// The paths that an operand is, or is computed from.
  private func paths(_ operand: Operand) throws(QueryError) -> [BoundPath] {
    switch operand {
    case .path(let path): [try self.path(path)]
    case .arithmetic(_, let left, let right): try paths(left) + paths(right)
    default: []
    }
  }

  static var needsCollection: QueryError {
    .invalid(
      "Aggregate operations can only be used on key paths that include an collection property")
  }
}
