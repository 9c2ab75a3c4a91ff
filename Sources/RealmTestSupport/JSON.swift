// SPDX-License-Identifier: Apache-2.0

// A JSON parser that keeps 64-bit integers and the order of members, for the fixtures' expected
// contents.

/// A JSON value.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  /// A name and its value; objects keep the order of the source.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let value: JSON

    package init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// The error of a string that is not valid JSON, with its position.
  package struct SyntaxError: Error {
    package let offset: Int
  }

  /// Parses one JSON document.
  package init(parsing bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBufferPointer { bytes in
      var parser = JSONParser(bytes: bytes)
      return try parser.document()
    }
  }

  /// The member with that name; nil if there is none or this is not an object.
  package subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The elements; empty if this is not an array.
  package var elements: [JSON] {
    guard case .array(let elements) = self else { return [] }
    return elements
  }

  package var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  package var number: Int64? {
    guard case .integer(let number) = self else { return nil }
    return number
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

// MARK: - Comparing

extension JSON {
  /// The differences between an expected and an actual value, at most `limit` lines, each with its
  /// path.
  ///
  /// Members are compared by name in any order. Decimals (`string`, `high`, `low`) are equal if
  /// their bits are; numbers are equal if they denote one double, or the float that was read.
  package static func differences(
    expected: JSON, actual: JSON, limit: Int = 20
  ) -> [String] {
    var found: [String] = []
    collect(expected, actual, path: "", limit, &found)
    return found
  }

  private static func collect(
    _ expected: JSON, _ actual: JSON, path: @autoclosure () -> String, _ limit: Int,
    _ found: inout [String]
  ) {
    guard found.count < limit else { return }
    switch (expected, actual) {
    case (.object(let left), .object(let right)):
      if let high = expected["high"], let low = expected["low"], expected["string"] != nil {
        if actual["high"] == high, actual["low"] == low { return }
        return found.append("\(path()): expected \(expected), found \(actual)")
      }
      for member in left {
        guard let other = actual[member.name] else {
          found.append("\(path())/\(member.name): missing")
          continue
        }
        collect(member.value, other, path: "\(path())/\(member.name)", limit, &found)
      }
      for member in right where expected[member.name] == nil {
        found.append("\(path())/\(member.name): not expected")
      }
    case (.array(let left), .array(let right)):
      if left.count != right.count {
        return found.append("\(path()): expected \(left.count) elements, found \(right.count)")
      }
      for index in left.indices {
        collect(left[index], right[index], path: "\(path())[\(index)]", limit, &found)
      }
    default:
      if !isSame(expected, actual) {
        found.append("\(path()): expected \(expected), found \(actual)")
      }
    }
  }

  private static func isSame(_ expected: JSON, _ actual: JSON) -> Bool {
    if expected == actual { return true }
    guard case .real(let read) = actual else { return false }
    let written: Double
    switch expected {
    case .real(let value): written = value
    case .integer(let value): written = Double(value)
    default: return false
    }
    if written.bitPattern == read.bitPattern { return true }
    // A float is written with the nine digits that restore the float, not its double.
    return Float(written).bitPattern == Float(read).bitPattern && Double(Float(read)) == read
  }
}

// MARK: - Parsing

private struct JSONParser {
  let bytes: UnsafeBufferPointer<UInt8>
  var offset = 0

  mutating func document() throws -> JSON {
    let value = try value()
    skipSpace()
    guard offset == bytes.count else { throw JSON.SyntaxError(offset: offset) }
    return value
  }

  private mutating func skipSpace() {
    while offset < bytes.count, bytes[offset] <= 0x20 { offset += 1 }
  }

  private mutating func peek() throws -> UInt8 {
    skipSpace()
    guard offset < bytes.count else { throw JSON.SyntaxError(offset: offset) }
    return bytes[offset]
  }

  private mutating func expect(_ text: StaticString) throws {
    for position in 0..<text.utf8CodeUnitCount {
      guard offset < bytes.count, bytes[offset] == text.utf8Start[position] else {
        throw JSON.SyntaxError(offset: offset)
      }
      offset += 1
    }
  }

  private mutating func value() throws -> JSON {
    switch try peek() {
    case UInt8(ascii: "{"): return .object(try members())
    case UInt8(ascii: "["): return .array(try elements())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try expect("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try expect("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try expect("null")
      return .null
    default: return try number()
    }
  }

  private mutating func members() throws -> [JSON.Member] {
    offset += 1
    var members: [JSON.Member] = []
    while try peek() != UInt8(ascii: "}") {
      if !members.isEmpty {
        try expect(",")
        guard try peek() == UInt8(ascii: "\"") else { throw JSON.SyntaxError(offset: offset) }
      }
      let name = try string()
      _ = try peek()
      try expect(":")
      members.append(JSON.Member(name, try value()))
    }
    offset += 1
    return members
  }

  private mutating func elements() throws -> [JSON] {
    offset += 1
    var elements: [JSON] = []
    while try peek() != UInt8(ascii: "]") {
      if !elements.isEmpty { try expect(",") }
      elements.append(try value())
    }
    offset += 1
    return elements
  }

  private mutating func number() throws -> JSON {
    let start = offset
    var isReal = false
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"): break
      case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isReal = true
      default:
        return try number(in: start..<offset, isReal: isReal)
      }
      offset += 1
    }
    return try number(in: start..<offset, isReal: isReal)
  }

  private func number(in range: Range<Int>, isReal: Bool) throws -> JSON {
    let text = String(decoding: bytes[range], as: UTF8.self)
    if !isReal, let value = Int64(text) { return .integer(value) }
    guard let value = Double(text) else { throw JSON.SyntaxError(offset: range.lowerBound) }
    return .real(value)
  }

  private mutating func string() throws -> String {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
      throw JSON.SyntaxError(offset: offset)
    }
    offset += 1
    let start = offset
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
      if bytes[offset] == UInt8(ascii: "\\") { return try escapedString(from: start) }
      offset += 1
    }
    guard offset < bytes.count else { throw JSON.SyntaxError(offset: offset) }
    defer { offset += 1 }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func escapedString(from start: Int) throws -> String {
    var units = Array(bytes[start..<offset])
    while true {
      guard offset < bytes.count else { throw JSON.SyntaxError(offset: offset) }
      let byte = bytes[offset]
      offset += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: units, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        units.append(byte)
        continue
      }
      guard offset < bytes.count else { throw JSON.SyntaxError(offset: offset) }
      let escape = bytes[offset]
      offset += 1
      switch escape {
      case UInt8(ascii: "b"): units.append(8)
      case UInt8(ascii: "f"): units.append(12)
      case UInt8(ascii: "n"): units.append(10)
      case UInt8(ascii: "r"): units.append(13)
      case UInt8(ascii: "t"): units.append(9)
      case UInt8(ascii: "u"): units.append(contentsOf: Array(String(try scalar()).utf8))
      default: units.append(escape)
      }
    }
  }

  private mutating func scalar() throws -> Unicode.Scalar {
    var code = try codeUnit()
    if (0xD800..<0xDC00).contains(code) {
      try expect("\\u")
      code = 0x10000 + (code & 0x3FF) << 10 + (try codeUnit()) & 0x3FF
    }
    return Unicode.Scalar(code) ?? "\u{FFFD}"
  }

  private mutating func codeUnit() throws -> UInt32 {
    guard offset + 4 <= bytes.count,
      let code = UInt32(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
    else { throw JSON.SyntaxError(offset: offset) }
    offset += 4
    return code
  }
}
