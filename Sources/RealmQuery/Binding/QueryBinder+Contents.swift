// SPDX-License-Identifier: Apache-2.0

// Equality with values without a stored form: unmanaged embedded objects, compared by all
// properties, and collections, compared by all elements.

import RealmTables

extension QueryBinder {
  /// The equality with a value by its members or elements; nil for other values.
  func contents(
    _ path: BoundPath, _ operation: ComparisonOperator, _ constant: QueryConstant
  ) throws(QueryError) -> BoundPredicate? {
    let isEqual = operation == .equal
    let equality: Predicate
    switch constant {
    case .collection(let type, let elements, _) where path.collectionLength == nil:
      equality = sameElements(path.written, type, elements)
    case .members(let members) where path.collectionLength == nil:
      equality = memberwise(path.written, members)
    case .members(let members):
      // Some element has these values, or some has others.
      let same = sameMembers(PropertyPath(), members)
      let count = Operand.matchCount(path.written, isEqual ? same : .not(same))
      return try bind(.comparison(Comparison(count, .greater, .value(.int(0)))))
    default: return nil
    }
    return try bind(isEqual ? equality : .not(equality))
  }

  /// Whether the values on the left are among some values.
  ///
  /// - Parameter path: The left side, if it is a path.
  func oneOf(
    _ left: BoundOperand, _ path: BoundPath?, _ values: [QueryConstant], _ options: TextOptions
  ) throws(QueryError) -> BoundPredicate {
    if let path, let equality = try oneOf(path, values) { return equality }
    let values = try known(values)
    guard !options.isEmpty, !values.isEmpty else {
      return .comparison(BoundComparison(left, .in, .values(values)))
    }
    return .any(
      values.map { .comparison(BoundComparison(left, .equal, .value($0), options: options)) })
  }

  /// The same for embedded objects that no realm has; nil if there are none among the values.
  private func oneOf(
    _ path: BoundPath, _ values: [QueryConstant]
  ) throws(QueryError) -> BoundPredicate? {
    var equalities: [Predicate] = []
    var hasNull = false
    for value in values {
      switch value {
      case .members(let members): equalities.append(memberwise(path.written, members))
      case .value(.null): hasNull = true
      default: break
      }
    }
    if equalities.isEmpty { return nil }
    if hasNull { equalities.insert(isNull(path.written, .equal), at: 0) }
    return try Predicate.joined(equalities, Predicate.or).map(bind)
  }

  /// Whether the embedded object at the end of a path, if there is one, has certain values.
  private func memberwise(
    _ path: PropertyPath, _ members: [(name: String, value: Any)]
  ) -> Predicate {
    .and(isNull(path, .notEqual), sameMembers(path, members))
  }

  private func isNull(_ path: PropertyPath, _ operation: ComparisonOperator) -> Predicate {
    .comparison(Comparison(.path(path), operation, .value(.null)))
  }

  private func sameMembers(
    _ path: PropertyPath, _ members: [(name: String, value: Any)]
  ) -> Predicate {
    members.reduce(.constant(true)) { condition, member in
      let path = path.appending(.property(member.name, isMany: false))
      return .and(
        condition, .comparison(Comparison(.path(path), .equal, .constant(member.value))))
    }
  }

  /// Whether the value of any type at the end of a path is a collection with certain elements.
  private func sameElements(
    _ path: PropertyPath, _ type: String, _ elements: [(CollectionPart, Any)]
  ) -> Predicate {
    func equality(_ path: PropertyPath, _ value: Operand) -> Predicate {
      .comparison(Comparison(.path(path), .equal, value))
    }
    let isOfType = equality(path.appending(.part(.type)), .value(.string(type)))
    let hasCount = equality(path.applying(.count), .value(.int(Int64(elements.count))))
    return elements.reduce(.and(isOfType, hasCount)) { condition, element in
      let (part, value) = element
      let isEqual = equality(path.appending(.part(part)), .constant(value))
      // An element that is not there is null as well.
      guard case .value(let key) = part, case .value(.null)? = try? schema.constant(value) else {
        return .and(condition, isEqual)
      }
      let isThere = equality(path.appending(.part(.keys)), .value(.string(key)))
      return .and(condition, .and(isThere, isEqual))
    }
  }
}
