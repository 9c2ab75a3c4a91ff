// SPDX-License-Identifier: Apache-2.0

// Reading query documents. What is not carried out is refused by its name.

#if Server
import RealmFormats

extension DocumentQuery {
  /// The deepest nesting of a query.
  private static let depthMax = 40

  init(_ value: BSONValue) throws(DocumentError) { self = try Self.query(value, depth: 0) }

  private static func query(_ value: BSONValue, depth: Int) throws(DocumentError) -> DocumentQuery {
    guard let elements = value.elements else {
      throw .badArgument("a query needs to be a document")
    }
    guard depth < depthMax else { throw .badArgument("the query is nested too deeply") }
    var parts: [DocumentQuery] = []
    for element in elements {
      switch element.key {
      case "$and": parts.append(.all(try queries(element, depth)))
      case "$or": parts.append(.any(try queries(element, depth)))
      case "$nor": parts.append(.not(.any(try queries(element, depth))))
      case "$expr": parts.append(.expression(try DocumentExpression(element.value)))
      case "$comment": continue
      case "": parts.append(try field(.nothing, element.value, depth))
      case let key where key.hasPrefix("$"):
        throw .unsupported("unknown top level operator: \(key)")
      case let key: parts.append(try field(DocumentPath(key), element.value, depth))
      }
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private static func queries(
    _ element: BSONElement, _ depth: Int
  ) throws(DocumentError) -> [DocumentQuery] {
    guard let values = element.value.values, !values.isEmpty else {
      throw .badArgument("\(element.key) needs to be an array with queries")
    }
    var parts: [DocumentQuery] = []
    for value in values { parts.append(try query(value, depth: depth + 1)) }
    return parts
  }

  private static func field(
    _ path: DocumentPath, _ value: BSONValue, _ depth: Int
  ) throws(DocumentError) -> DocumentQuery {
    guard isOperators(value) else {
      if case .regularExpression(let pattern, let options) = value {
        return .field(path, .pattern(try Pattern(pattern, options: options)))
      }
      return .field(path, .equal(value))
    }
    let tests = try tests(value, depth)
    return .all(tests.map { .field(path, $0) })
  }

  /// Whether a document is operators. One with a reference is a value.
  private static func isOperators(_ value: BSONValue) -> Bool {
    guard let first = value.elements?.first?.key, first.hasPrefix("$") else { return false }
    return first != "$ref" && first != "$id"
  }

  // MARK: Operators

  private static func tests(
    _ value: BSONValue, _ depth: Int
  ) throws(DocumentError) -> [DocumentTest] {
    guard depth < depthMax else { throw .badArgument("the query is nested too deeply") }
    var tests: [DocumentTest] = []
    for element in value.elements ?? [] {
      if let test = try test(element, in: value, depth) { tests.append(test) }
    }
    return tests
  }

  private static func test(
    _ element: BSONElement, in operators: BSONValue, _ depth: Int
  ) throws(DocumentError) -> DocumentTest? {
    let value = element.value
    switch element.key {
    case "$eq": return .equal(value)
    case "$ne": return .not(.equal(value))
    case "$in": return try oneOf(element)
    case "$nin": return .not(try oneOf(element))
    case "$exists": return .exists(value.isTrue)
    case "$type": return .type(try types(value))
    case "$size":
      guard let count = value.wholeNumber, count >= 0 else {
        throw .badArgument("$size needs a number that is not negative")
      }
      return .size(count)
    case "$mod": return try rest(value)
    case "$not":
      if case .regularExpression(let pattern, let options) = value {
        return .not(.pattern(try Pattern(pattern, options: options)))
      }
      guard isOperators(value) else {
        throw .badArgument("$not needs operators or a regular expression")
      }
      return .not(.all(try tests(value, depth + 1)))
    case "$regex": return .pattern(try pattern(value, options: operators["$options"]))
    case "$options":
      guard operators["$regex"] != nil else { throw .badArgument("$options needs a $regex") }
      return nil
    case "$all": return .hasAll(try hasAll(value, depth))
    case "$elemMatch": return try Self.element(value, depth)
    case "$comment": return nil
    case let key:
      guard let operation = DocumentTest.RangeOperator(rawValue: key) else {
        throw .unsupported("unknown operator: \(key)")
      }
      return .ordered(operation, value)
    }
  }

  private static func oneOf(_ element: BSONElement) throws(DocumentError) -> DocumentTest {
    guard let all = element.value.values else {
      throw .badArgument("\(element.key) needs an array")
    }
    var (values, patterns): ([BSONValue], [Pattern]) = ([], [])
    for value in all {
      if case .regularExpression(let pattern, let options) = value {
        patterns.append(try Pattern(pattern, options: options))
      } else {
        values.append(value)
      }
    }
    return .oneOf(values, patterns)
  }

  private static func types(_ value: BSONValue) throws(DocumentError) -> Set<BSONTypeName> {
    var types: Set<BSONTypeName> = []
    for value in value.values ?? [value] {
      let type =
        value.text.flatMap(BSONTypeName.init(rawValue:))
        ?? value.wholeNumber.flatMap { BSONTypeName(number: $0) }
      guard let type else {
        throw .unsupported("unknown type of $type: \(ExtendedJSONWriter.text(value))")
      }
      types.insert(type)
    }
    return types
  }

  private static func rest(_ value: BSONValue) throws(DocumentError) -> DocumentTest {
    guard let numbers = value.values, numbers.count == 2,
      let divisor = numbers[0].wholeNumber, let rest = numbers[1].wholeNumber
    else { throw .badArgument("$mod needs a divisor and a remainder") }
    guard divisor != 0 else { throw .badArgument("$mod has the divisor 0") }
    return .rest(divisor: divisor, rest: rest)
  }

  private static func pattern(
    _ value: BSONValue, options: BSONValue?
  ) throws(DocumentError) -> Pattern {
    guard options == nil || options?.text != nil else {
      throw .badArgument("$options needs to be a string")
    }
    switch value {
    case .string(let pattern): return try Pattern(pattern, options: options?.text ?? "")
    case .regularExpression(let pattern, let own):
      return try Pattern(pattern, options: options?.text ?? own)
    default: throw .badArgument("$regex needs to be a string or a regular expression")
    }
  }

  private static func hasAll(
    _ value: BSONValue, _ depth: Int
  ) throws(DocumentError) -> [DocumentTest] {
    guard let values = value.values else { throw .badArgument("$all needs an array") }
    var tests: [DocumentTest] = []
    for value in values {
      if let inner = value["$elemMatch"] {
        tests.append(try element(inner, depth + 1))
      } else if case .regularExpression(let pattern, let options) = value {
        tests.append(.pattern(try Pattern(pattern, options: options)))
      } else {
        tests.append(.equal(value))
      }
    }
    return tests
  }

  private static func element(
    _ value: BSONValue, _ depth: Int
  ) throws(DocumentError) -> DocumentTest {
    guard let elements = value.elements else { throw .badArgument("$elemMatch needs a document") }
    let logical: Set<String> = ["$and", "$or", "$nor"]
    if let first = elements.first?.key, first.hasPrefix("$"), !logical.contains(first) {
      return .elementValue(.all(try tests(value, depth + 1)))
    }
    return .element(try query(value, depth: depth + 1))
  }
}
#endif
