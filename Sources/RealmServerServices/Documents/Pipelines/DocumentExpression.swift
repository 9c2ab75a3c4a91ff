// SPDX-License-Identifier: Apache-2.0

// The expressions of pipelines, and of `$expr`.

#if Server
import RealmFormats

/// An expression over a document.
indirect enum DocumentExpression: Sendable {
  case literal(BSONValue)
  case path(DocumentPath)
  case root
  case array([DocumentExpression])
  case document([(key: String, value: DocumentExpression)])
  case call(ExpressionOperator, [DocumentExpression])

  /// The value; nil for a missing one. What is made for it is counted.
  func value(
    in document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue? {
    try work.spend()
    switch self {
    case .literal(let value): return value
    case .path(let path): return try path.value(in: document, &work)
    case .root: return document
    case .array(let parts):
      var values: [BSONValue] = []
      for part in parts { values.append(try part.value(in: document, &work) ?? .null) }
      try work.make(.array(values))
      return .array(values)
    case .document(let parts):
      var elements: [BSONElement] = []
      for (key, part) in parts {
        if let value = try part.value(in: document, &work) {
          elements.append(BSONElement(key, value))
        }
      }
      try work.make(.document(elements))
      return .document(elements)
    case .call(let operation, let arguments):
      return try operation.value(of: arguments, in: document, &work)
    }
  }
}

/// The functions of expressions.
enum ExpressionOperator: String, CaseIterable, Sendable {
  case add = "$add"
  case subtract = "$subtract"
  case multiply = "$multiply"
  case divide = "$divide"
  case mod = "$mod"
  case abs = "$abs"
  case ceil = "$ceil"
  case floor = "$floor"
  case equal = "$eq"
  case notEqual = "$ne"
  case less = "$lt"
  case lessOrEqual = "$lte"
  case greater = "$gt"
  case greaterOrEqual = "$gte"
  case compare = "$cmp"
  case and = "$and"
  case or = "$or"
  case not = "$not"
  case condition = "$cond"
  case ifNull = "$ifNull"
  case concat = "$concat"
  case split = "$split"
  case toLower = "$toLower"
  case toUpper = "$toUpper"
  case toString = "$toString"
  case length = "$strLenCP"
  case size = "$size"
  case isIn = "$in"
  case element = "$arrayElemAt"
  case sum = "$sum"
  case average = "$avg"
  case minimum = "$min"
  case maximum = "$max"

  /// The numbers of arguments that a call may have.
  private var counts: ClosedRange<Int> {
    switch self {
    case .subtract, .divide, .mod, .equal, .notEqual, .less, .lessOrEqual, .greater,
      .greaterOrEqual, .compare, .isIn, .element, .split:
      2...2
    case .abs, .ceil, .floor, .not, .toLower, .toUpper, .toString, .length, .size: 1...1
    case .condition: 3...3
    case .ifNull: 2...100
    case .add, .multiply, .and, .or, .concat, .sum, .average, .minimum, .maximum: 0...10_000
    }
  }

  func check(_ count: Int) throws(DocumentError) {
    guard counts.contains(count) else {
      throw .badArgument("\(rawValue) has \(count) arguments, which is not what it takes")
    }
  }
}

extension DocumentExpression {
  private static let depthMax = 40

  /// Reads an expression.
  init(_ value: BSONValue) throws(DocumentError) { self = try Self.read(value, depth: 0) }

  private static func read(
    _ value: BSONValue, depth: Int
  ) throws(DocumentError) -> DocumentExpression {
    guard depth < depthMax else { throw .badArgument("the expression is nested too deeply") }
    switch value {
    case .string("$$ROOT"), .string("$$CURRENT"): return .root
    case .string(let text) where text.hasPrefix("$$ROOT."):
      return .path(try DocumentPath(String(text.dropFirst(7))))
    case .string(let text) where text.hasPrefix("$$"):
      throw .unsupported("the variable \(text) of expressions is not supported")
    case .string(let text) where text.hasPrefix("$"):
      return .path(try DocumentPath(String(text.dropFirst())))
    case .array(let values):
      var parts: [DocumentExpression] = []
      for value in values { parts.append(try read(value, depth: depth + 1)) }
      return .array(parts)
    case .document(let elements):
      if let first = elements.first, first.key.hasPrefix("$") {
        guard elements.count == 1 else {
          throw .badArgument("an expression has one operator, and \(first.key) is not alone")
        }
        return try call(first.key, first.value, depth)
      }
      var parts: [(key: String, value: DocumentExpression)] = []
      for element in elements {
        parts.append((element.key, try read(element.value, depth: depth + 1)))
      }
      return .document(parts)
    default: return .literal(value)
    }
  }

  private static func call(
    _ name: String, _ value: BSONValue, _ depth: Int
  ) throws(DocumentError) -> DocumentExpression {
    if name == "$literal" { return .literal(value) }
    guard let operation = ExpressionOperator(rawValue: name) else {
      throw .unsupported("unknown operator of expressions: \(name)")
    }
    var values = value.values ?? [value]
    if operation == .condition, case .document = value {
      guard let test = value["if"], let yes = value["then"], let no = value["else"] else {
        throw .badArgument("$cond needs if, then and else")
      }
      values = [test, yes, no]
    }
    try operation.check(values.count)
    var arguments: [DocumentExpression] = []
    for value in values { arguments.append(try read(value, depth: depth + 1)) }
    return .call(operation, arguments)
  }
}
#endif
