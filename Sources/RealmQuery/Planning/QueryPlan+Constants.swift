// SPDX-License-Identifier: Apache-2.0

// The operator and constants of a comparison as a test of single values.

import RealmStorage
import RealmTables

extension QueryPlan {
  /// The operator and constants of a comparison, checked against what the path leads to.
  func test(
    _ comparison: Comparison, _ end: ResolvedEnd, path: PropertyPath
  ) throws(QueryError) -> ValueTest {
    func checked(_ value: TableValue) throws(QueryError) -> MixedValue {
      try constant(value, for: end, path: path)
    }
    try end.check(comparison.operation, beside: comparison.right)
    switch (comparison.operation, comparison.right) {
    case (.in, .values(let values)):
      var constants: [MixedValue] = []
      for value in values { constants.append(try checked(value)) }
      return ValueTest(oneOf: constants)
    case (.between, .values(let values)) where values.count == 2:
      return ValueTest(from: try checked(values[0]), through: try checked(values[1]))
    case (.in, _), (.between, _), (_, .values):
      throw .invalid(
        "The right side of \(comparison.operation.text) has the wrong number of values")
    case (.text, .value(.string(let terms))) where end.type == .string:
      return ValueTest(words: TextSearch(terms))
    case (.text, _):
      throw .invalid("Operator 'TEXT' needs a property of type string, and words to look for.")
    case (let operation, .value(let value)):
      let constant = try checked(value)
      // Every string is greater than none.
      if end.type == .string, constant.isNull, [.greater, .greaterOrEqual].contains(operation) {
        return ValueTest(.notEqual, value: .null)
      }
      let isText = operation.isTextual || !comparison.options.isEmpty
      if isText, end.isText { return try textTest(operation, constant, comparison.options) }
      return ValueTest(operation, value: constant)
    default:
      throw .invalid("Predicate expressions must compare a keypath and another keypath or a value")
    }
  }

  /// A constant in the form in which the values at an end are compared with it.
  ///
  /// - Throws: `QueryError.invalid` if no value there can be equal to it.
  func constant(
    _ value: TableValue, for end: ResolvedEnd, path: PropertyPath
  ) throws(QueryError) -> MixedValue {
    guard let constant = constants.value(value, target: end.target), end.accepts(constant) else {
      throw .typeMismatch(value.text, of: value.typeName, path: path, end.typeName)
    }
    // Decimals are compared with other numbers as decimals, which are made once here.
    switch constant {
    case .double(let number) where end.type == .decimal:
      return .decimal(DecimalBits(double: number))
    case .float(let number) where end.type == .decimal:
      return .decimal(DecimalBits(float: number))
    default: return constant
    }
  }

  private func textTest(
    _ operation: ComparisonOperator, _ constant: MixedValue, _ options: TextOptions
  ) throws(QueryError) -> ValueTest {
    switch constant {
    case .string(let bytes), .binary(let bytes):
      guard operation.isTextual || operation == .equal || operation == .notEqual else {
        throw .invalid("Lexicographical comparisons must be case-sensitive")
      }
      guard operation != .like || !options.contains(.diacriticInsensitive) else {
        throw .invalid("Operator 'LIKE' not supported with diacritic-insensitive modifier.")
      }
      let isBinary = if case .binary = constant { true } else { false }
      return ValueTest(
        TextMatcher(operation, Array(bytes.bytes), options: options), operation,
        isBinary: isBinary, needle: bytes)
    case .null where operation.isTextual:
      // Looking for null finds nothing.
      return ValueTest(oneOf: [])
    default: return ValueTest(operation, value: constant)
    }
  }
}
