// SPDX-License-Identifier: Apache-2.0

// Constants: literals, values of the program, and arguments.

import RealmTables

extension QueryBinder {
  static func unsupported(_ value: Any) -> QueryError {
    .invalid("A query cannot compare with '\(value)'.")
  }

  /// A number that is exact only beside decimals and values of any type, and rounded once beside
  /// Floats.
  func number(_ digits: String, beside other: BoundPath?) -> TableValue {
    if let type = other?.comparedType, type == .decimal || type == .mixed,
      let decimal = schema.decimal(digits)
    {
      return decimal
    }
    if other?.comparedType == .float, let number = Float(digits) { return .float(number) }
    return .double(Double(digits) ?? .nan)
  }

  /// The constant in the form of what it is compared with: 0 and 1 are also Bools, strings are also
  /// bytes, and types have several names.
  func fitting(
    _ constant: QueryConstant, beside other: BoundPath?
  ) throws(QueryError) -> QueryConstant {
    guard let other else { return constant }
    switch constant {
    case .value(.int(let number)) where other.comparedType == .bool && (0...1).contains(number):
      return .value(.bool(number == 1))
    case .value(.string(let text)):
      if other.lastPart == .type { return .value(.string(QueryBinder.typeName(text))) }
      return other.comparedType == .binary ? .value(.binary(Array(text.utf8))) : constant
    case .object(let name?, _):
      // A link to objects of one class cannot be compared with an object of another.
      guard let target = other.target, target.className != name else { return constant }
      let path = other.written.components.isEmpty ? "self" : other.written.text
      throw .invalid(
        "Cannot compare value '\(name)' of type '\(name)' to property '\(path)' of type "
          + "'\(target.className)'. A link is equal to objects of its own class alone. "
          + LiteralHint.page)
    default: return constant
    }
  }

  // MARK: - Several values

  /// The values of a list, or of a collection of the program; nil for a single value.
  func values(_ operand: Operand, beside other: BoundPath?) throws(QueryError) -> [QueryConstant]? {
    switch operand {
    case .list(let elements):
      var constants: [QueryConstant] = []
      for element in elements { constants.append(try constant(element, beside: other)) }
      return constants
    case .constant(let values as [Any]): return try constants(values, beside: other)
    case .argument(let value):
      switch try schema.argument(value) {
      case .list(let values): return try constants(values(), beside: other)
      case .range(let range):
        guard let elements = range.elements else { return nil }
        return try values(.argument(Array(erasing: elements)), beside: other)
      default: return nil
      }
    default: return nil
    }
  }

  private func constants(
    _ values: some Sequence<Any>, beside other: BoundPath?
  ) throws(QueryError) -> [QueryConstant] {
    var constants: [QueryConstant] = []
    for value in values { constants.append(try fitting(constant(value), beside: other)) }
    return constants
  }

  /// Whether a side is a list of values, or an argument that is a collection of values.
  func isList(_ operand: Operand) throws(QueryError) -> Bool {
    switch operand {
    case .list: return true
    case .argument(let value):
      switch try schema.argument(value) {
      case .list: return true
      case .range(let range): return range.elements != nil
      default: return false
      }
    default: return false
    }
  }

  /// The range that an argument is; nil for others.
  func range(_ operand: Operand) throws(QueryError) -> QueryRange? {
    guard case .argument(let value) = operand, case .range(let range) = try schema.argument(value)
    else { return nil }
    return range
  }

  /// The condition that values lie in a range.
  func bind(_ left: BoundOperand, in range: QueryRange) throws(QueryError) -> BoundPredicate {
    let (lower, upper) = try (stored(constant(range.lower)), stored(constant(range.upper)))
    if range.isClosed {
      return .comparison(BoundComparison(left, .between, .values([lower, upper])))
    }
    return .all([
      .comparison(BoundComparison(left, .greaterOrEqual, .value(lower))),
      .comparison(BoundComparison(left, .less, .value(upper))),
    ])
  }

  // MARK: - Stored values

  /// The value as it is stored; nil for an object that the realm does not have.
  func known(_ constant: QueryConstant) throws(QueryError) -> TableValue? {
    switch constant {
    case .value(let value): return value
    case .object(_, let link): return link
    case .collection(_, _, let stored?): return stored
    case .collection(let type, _, nil): throw QueryBinder.unsupported(type)
    case .members: throw QueryBinder.unsupported("an object")
    case .list(let values): throw QueryBinder.unsupported(values())
    case .range(let range): throw QueryBinder.unsupported("\(range.lower)...\(range.upper)")
    case .region(let region): throw QueryBinder.unsupported(region)
    }
  }

  /// Those of the values that the realm has.
  func known(_ constants: [QueryConstant]) throws(QueryError) -> [TableValue] {
    var values: [TableValue] = []
    for constant in constants {
      if let value = try known(constant) { values.append(value) }
    }
    return values
  }

  func stored(_ constant: QueryConstant) throws(QueryError) -> TableValue {
    guard let value = try known(constant) else { throw QueryBinder.unsupported("an object") }
    return value
  }
}

extension QueryRange {
  /// Whether a range can be compared with, instead of each of its elements: between integers there
  /// are no others, and the elements of other ranges have no end.
  func isCheaper(for path: BoundPath?) -> Bool {
    elements == nil || isClosed && path?.comparedType == .int
  }
}

extension [Any] {
  fileprivate init(erasing sequence: any Sequence<Int>) { self = sequence.map { $0 as Any } }
}
