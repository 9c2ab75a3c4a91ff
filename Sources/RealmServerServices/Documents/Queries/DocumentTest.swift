// SPDX-License-Identifier: Apache-2.0

// The operators of queries about one path.

#if Server
import RealmFormats

/// A condition on the values of a path.
indirect enum DocumentTest: Sendable {
  case equal(BSONValue)
  case ordered(RangeOperator, BSONValue)
  case oneOf([BSONValue], [Pattern])
  case exists(Bool)
  case type(Set<BSONTypeName>)
  case pattern(Pattern)
  case hasAll([DocumentTest])
  /// An element of an array fulfils a condition on documents.
  case element(DocumentQuery)
  /// An element of an array fulfils a condition on values.
  case elementValue(DocumentTest)
  case size(Int64)
  case rest(divisor: Int64, rest: Int64)
  case not(DocumentTest)
  case all([DocumentTest])

  enum RangeOperator: String, CaseIterable, Sendable {
    case less = "$lt"
    case lessOrEqual = "$lte"
    case greater = "$gt"
    case greaterOrEqual = "$gte"
  }

  func matches(
    _ found: DocumentPath.Found, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    switch self {
    case .equal(let wanted):
      if wanted == .null, found.isMissing { return true }
      return try hasCandidate(found, &work) { (value, work) throws(DocumentError) in
        try BSONOrder.areEqual(value, wanted, &work)
      }
    case .ordered(let operation, let bound):
      if bound == .null {
        guard operation == .lessOrEqual || operation == .greaterOrEqual else { return false }
        return try DocumentTest.equal(.null).matches(found, &work)
      }
      return try hasCandidate(found, &work) { (value, work) throws(DocumentError) in
        try operation.holds(value, bound, &work)
      }
    case .oneOf(let values, let patterns):
      if found.isMissing, values.contains(.null) { return true }
      return try hasCandidate(found, &work) { (value, work) throws(DocumentError) in
        if try BSONOrder.contains(values, value, &work) { return true }
        return try Self.matchesPattern(value, patterns, &work)
      }
    case .exists(let wanted): return found.values.isEmpty != wanted
    case .type(let types):
      return try hasCandidate(found, &work) { (value, work) throws(DocumentError) in
        types.contains { $0.includes(value) }
      }
    case .pattern(let pattern):
      return try hasCandidate(found, &work) { (value, work) throws(DocumentError) in
        try Self.matchesPattern(value, [pattern], &work)
      }
    case .hasAll(let tests):
      for test in tests where try !test.matches(found, &work) { return false }
      return !tests.isEmpty
    case .element(let query):
      return try hasElement(found, &work) { (value, work) throws(DocumentError) in
        guard value.elements != nil || value.values != nil else { return false }
        return try query.matches(value, &work)
      }
    case .elementValue(let test):
      return try hasElement(found, &work) { (value, work) throws(DocumentError) in
        try test.matches(DocumentPath.Found(values: [value]), &work)
      }
    case .size(let count):
      for case .array(let elements) in found.values where Int64(elements.count) == count {
        return true
      }
      return false
    case .rest(let divisor, let rest):
      return try hasCandidate(found, &work) { (value, work) throws(DocumentError) in
        guard let number = BSONNumber(value) else { return false }
        let whole = number.integer ?? Int64(exactly: number.double.rounded(.towardZero))
        guard let whole else { return false }
        return (divisor == -1 ? 0 : whole % divisor) == rest
      }
    case .not(let test): return try !test.matches(found, &work)
    case .all(let tests):
      for test in tests where try !test.matches(found, &work) { return false }
      return true
    }
  }

  /// Whether one of the values, or an element of one that is an array, fulfils a condition.
  private func hasCandidate(
    _ found: DocumentPath.Found, _ work: inout DocumentWork,
    _ test: (BSONValue, inout DocumentWork) throws(DocumentError) -> Bool
  ) throws(DocumentError) -> Bool {
    for value in found.values {
      try work.spend()
      if try test(value, &work) { return true }
      guard case .array(let elements) = value else { continue }
      for element in elements {
        try work.spend()
        if try test(element, &work) { return true }
      }
    }
    return false
  }

  private func hasElement(
    _ found: DocumentPath.Found, _ work: inout DocumentWork,
    _ test: (BSONValue, inout DocumentWork) throws(DocumentError) -> Bool
  ) throws(DocumentError) -> Bool {
    for case .array(let elements) in found.values {
      for element in elements {
        try work.spend()
        if try test(element, &work) { return true }
      }
    }
    return false
  }

  private static func matchesPattern(
    _ value: BSONValue, _ patterns: [Pattern], _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    guard case .string(let text) = value else { return false }
    for pattern in patterns where try pattern.matches(text, &work) { return true }
    return false
  }
}

extension DocumentTest.RangeOperator {
  /// Values of other types are in no order with a bound.
  func holds(
    _ value: BSONValue, _ bound: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> Bool {
    guard BSONOrder.rank(value) == BSONOrder.rank(bound) else { return false }
    if value.isNotANumber || bound.isNotANumber {
      // What is no number equals itself, and is in no order with others.
      return value.isNotANumber && bound.isNotANumber
        && (self == .lessOrEqual || self == .greaterOrEqual)
    }
    let order = try BSONOrder.compare(value, bound, &work)
    return switch self {
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }
}

extension BSONValue {
  fileprivate var isNotANumber: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .decimal: BSONNumber(self)?.isNaN ?? true
    default: false
    }
  }
}
#endif
