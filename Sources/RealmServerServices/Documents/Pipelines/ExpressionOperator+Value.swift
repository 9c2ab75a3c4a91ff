// SPDX-License-Identifier: Apache-2.0

// Carrying out the functions of expressions. Null, and what is missing, give null in arithmetic.

#if Server
import RealmFormats
import RealmText

extension ExpressionOperator {
  func value(
    of expressions: [DocumentExpression], in document: BSONValue, _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue? {
    switch self {
    case .and, .or:
      for expression in expressions {
        let isTrue = try expression.value(in: document, &work)?.isTrue ?? false
        if isTrue == (self == .or) { return .bool(isTrue) }
      }
      return .bool(self == .and)
    case .condition:
      let isTrue = try expressions[0].value(in: document, &work)?.isTrue ?? false
      return try expressions[isTrue ? 1 : 2].value(in: document, &work)
    case .ifNull:
      var last: BSONValue?
      for expression in expressions {
        last = try expression.value(in: document, &work)
        if let last, last != .null { return last }
      }
      return last
    default:
      var values: [BSONValue?] = []
      for expression in expressions { values.append(try expression.value(in: document, &work)) }
      return try value(of: values, &work)
    }
  }

  private func value(
    of values: [BSONValue?], _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue? {
    switch self {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .compare:
      return comparison(try BSONOrder.compare(values[0] ?? .null, values[1] ?? .null, &work))
    case .not: return .bool(!(values[0]?.isTrue ?? false))
    case .sum, .average, .minimum, .maximum: return try accumulated(values, &work)
    case .concat, .toLower, .toUpper, .toString, .length: return try text(of: values, &work)
    case .split: return try split(values, &work)
    case .size:
      guard case .array(let elements)? = values[0] else {
        throw .failed("$size needs an array")
      }
      return .int32(Int32(clamping: elements.count))
    case .isIn:
      guard case .array(let elements)? = values[1] else {
        throw .failed("$in needs an array as its second argument")
      }
      return .bool(try BSONOrder.contains(elements, values[0] ?? .null, &work))
    case .element: return try element(of: values)
    default:
      let number = try number(of: values)
      try work.make(number)
      return number
    }
  }

  private func comparison(_ order: Int) -> BSONValue {
    switch self {
    case .equal: .bool(order == 0)
    case .notEqual: .bool(order != 0)
    case .less: .bool(order < 0)
    case .lessOrEqual: .bool(order <= 0)
    case .greater: .bool(order > 0)
    case .greaterOrEqual: .bool(order >= 0)
    default: .int32(Int32(order.signum()))
    }
  }

  private func accumulated(
    _ values: [BSONValue?], _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    // The arguments are there as long as the result: it is not counted once more.
    var result = GroupAccumulator.State(
      self == .sum ? .sum : self == .average ? .average : self == .minimum ? .minimum : .maximum,
      countsKept: false)
    for value in values {
      guard let value else { continue }
      // A single argument may be the array.
      if values.count == 1, let elements = value.values {
        for element in elements { try result.add(element, &work) }
      } else {
        try result.add(value, &work)
      }
    }
    return result.value
  }

  private func element(of values: [BSONValue?]) throws(DocumentError) -> BSONValue? {
    guard let first = values[0], first != .null else { return .null }
    guard let elements = first.values, let index = values[1]?.wholeNumber else {
      throw .failed("$arrayElemAt needs an array and a number")
    }
    let (sum, _) = Int64(elements.count).addingReportingOverflow(index)
    let place = index < 0 ? sum : index
    guard place >= 0, place < Int64(elements.count) else { return nil }
    return elements[Int(place)]
  }

  // MARK: Texts

  private func text(
    of values: [BSONValue?], _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    switch self {
    case .concat:
      var result = ""
      for value in values {
        guard let value, value != .null else { return .null }
        guard case .string(let text) = value else { throw .failed("$concat needs strings") }
        // It is counted before it is made, as the text that it leads to may be the largest.
        try work.make(byteCount: text.utf8.count)
        result += text
      }
      return .string(result)
    case .toLower, .toUpper:
      guard let value = values[0], value != .null else { return .string("") }
      guard case .string(let text) = value else { throw .failed("\(rawValue) needs a string") }
      try work.make(byteCount: text.utf8.count)
      let result = self == .toLower ? text.lowercased() : text.uppercased()
      try work.make(byteCount: result.utf8.count)
      return .string(result)
    case .length:
      guard case .string(let text)? = values[0] else { throw .failed("$strLenCP needs a string") }
      try work.spend(1 + text.utf8.count / 16)
      return .int32(Int32(clamping: text.unicodeScalars.count))
    default:
      try work.make(byteCount: 80)
      switch values[0] {
      case nil, .null: return .null
      case .string(let text): return .string(text)
      case .bool(let truth): return .string("\(truth)")
      case .objectID(let id): return .string(id.text)
      case .int32(let number): return .string("\(number)")
      case .int64(let number): return .string("\(number)")
      case .double(let number): return .string("\(number)")
      case .decimal(let text): return .string(text)
      case .some(let value):
        guard let id = value.uuid else { throw .failed("$toString cannot convert the value") }
        return .string(id.text)
      }
    }
  }

  /// The parts of a text between the places of another one.
  private func split(
    _ values: [BSONValue?], _ work: inout DocumentWork
  ) throws(DocumentError) -> BSONValue {
    guard let text = values[0], text != .null, let separator = values[1], separator != .null else {
      return .null
    }
    guard case .string(let text) = text, case .string(let separator) = separator,
      !separator.isEmpty
    else { throw .failed("$split needs a string and one to split it at, which is not empty") }
    try work.spend(text.utf8.count + separator.utf8.count)
    return .array(try TextSplitting.parts(of: text, at: separator, &work))
  }

  // MARK: Numbers

  private func number(of values: [BSONValue?]) throws(DocumentError) -> BSONValue {
    var numbers: [BSONNumber] = []
    for value in values {
      guard let value, value != .null else { return .null }
      if let date = try dateArithmetic(values) { return date }
      guard let number = BSONNumber(value) else { throw .failed("\(rawValue) needs numbers") }
      numbers.append(number)
    }
    switch self {
    case .add:
      var result = BSONNumber.int32(0)
      for number in numbers { result = try result + number }
      return result.value
    case .multiply:
      var result = BSONNumber.int32(1)
      for number in numbers { result = try result * number }
      return result.value
    case .subtract: return try (numbers[0] - numbers[1]).value
    case .divide: return try numbers[0].divided(by: numbers[1]).value
    case .mod: return try numbers[0].rest(by: numbers[1]).value
    case .abs:
      let isNegative = numbers[0].compare(to: .int32(0)) < 0
      return try (isNegative ? BSONNumber.int32(0) - numbers[0] : numbers[0]).value
    default:
      switch numbers[0] {
      case .double(let number):
        return .double(number.rounded(self == .ceil ? .up : .down))
      case .decimal: throw .unsupported("\(rawValue) of decimals is not supported")
      case .int32, .int64: return numbers[0].value
      }
    }
  }

  /// Times and milliseconds; nil for other operands.
  private func dateArithmetic(_ values: [BSONValue?]) throws(DocumentError) -> BSONValue? {
    guard values.count == 2, self == .add || self == .subtract else { return nil }
    let result: (partialValue: Int64, overflow: Bool)
    var isDuration = false
    switch (values[0], values[1]) {
    case (.date(let left)?, .date(let right)?) where self == .subtract:
      result = left.subtractingReportingOverflow(right)
      isDuration = true
    case (.date(let date)?, let other?):
      guard let number = other.wholeNumber else { return nil }
      result =
        self == .add
        ? date.addingReportingOverflow(number) : date.subtractingReportingOverflow(number)
    case (let other?, .date(let date)?) where self == .add:
      guard let number = other.wholeNumber else { return nil }
      result = date.addingReportingOverflow(number)
    default: return nil
    }
    guard !result.overflow else { throw .failed("\(rawValue) gives a time beyond all times") }
    return isDuration ? .int64(result.partialValue) : .date(unixMilliseconds: result.partialValue)
  }
}
#endif
