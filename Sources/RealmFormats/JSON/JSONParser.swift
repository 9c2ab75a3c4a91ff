// SPDX-License-Identifier: Apache-2.0

// Bytes become a JSON value.

import RealmText

/// Reads JSON (RFC 8259).
///
/// Any sequence of bytes gives a value or an error.
package struct JSONParser {
  /// The most arrays and objects that may be inside of each other.
  package static let depthMax = 100

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value that all of the bytes are.
  package static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    guard parser.position == bytes.count else { throw .trailingBytes }
    return value
  }

  /// The value that all of the text is.
  package static func parse(_ text: String) throws(JSONError) -> JSONValue {
    try parse(Array(text.utf8))
  }

  /// The value that begins at `position`, perhaps after spaces; the position is after it then.
  ///
  /// - Parameter depth: How many arrays and objects the value is inside of.
  package static func value(
    in bytes: [UInt8], at position: inout Int, depth: Int
  ) throws(JSONError) -> JSONValue {
    var parser = JSONParser(bytes)
    parser.position = position
    let value = try parser.value(depth: depth)
    position = parser.position
    return value
  }

  private mutating func skipSpace() {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        position += 1
      default: return
      }
    }
  }

  /// The next byte that is no space, which stays.
  private mutating func peek() throws(JSONError) -> UInt8 {
    skipSpace()
    guard position < bytes.count else { throw .truncated }
    return bytes[position]
  }

  /// Whether the next byte is this one, which is then passed.
  private mutating func skip(_ byte: Unicode.Scalar) throws(JSONError) -> Bool {
    guard try peek() == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    switch try peek() {
    case UInt8(ascii: "{"): return .object(try members(depth: depth + 1))
    case UInt8(ascii: "["): return .array(try elements(depth: depth + 1))
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"):
      try word("true")
      return .bool(true)
    case UInt8(ascii: "f"):
      try word("false")
      return .bool(false)
    case UInt8(ascii: "n"):
      try word("null")
      return .null
    default: return try number()
    }
  }

  private mutating func word(_ text: StaticString) throws(JSONError) {
    for byte in text.description.utf8 {
      guard position < bytes.count else { throw .truncated }
      guard bytes[position] == byte else { throw .unexpectedByte(offset: position) }
      position += 1
    }
  }

  private mutating func members(depth: Int) throws(JSONError) -> [JSONMember] {
    guard depth <= Self.depthMax else { throw .tooDeep }
    position += 1
    var members: [JSONMember] = []
    if try skip("}") { return members }
    while true {
      guard try peek() == UInt8(ascii: "\"") else { throw .unexpectedByte(offset: position) }
      let key = try string()
      guard try skip(":") else { throw .unexpectedByte(offset: position) }
      members.append(JSONMember(key, try value(depth: depth)))
      if try skip("}") { return members }
      guard try skip(",") else { throw .unexpectedByte(offset: position) }
    }
  }

  private mutating func elements(depth: Int) throws(JSONError) -> [JSONValue] {
    guard depth <= Self.depthMax else { throw .tooDeep }
    position += 1
    var values: [JSONValue] = []
    if try skip("]") { return values }
    while true {
      values.append(try value(depth: depth))
      if try skip("]") { return values }
      guard try skip(",") else { throw .unexpectedByte(offset: position) }
    }
  }

  private mutating func string() throws(JSONError) -> String {
    position += 1
    let start = position
    var unescaped: [UInt8]?
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        defer { position += 1 }
        guard let unescaped else {
          guard UTF8Validation.isValid(bytes, start..<position) else { throw .invalidUTF8 }
          return String(decoding: bytes[start..<position], as: UTF8.self)
        }
        guard UTF8Validation.isValid(unescaped, unescaped.indices) else { throw .invalidUTF8 }
        return String(decoding: unescaped, as: UTF8.self)
      case UInt8(ascii: "\\"):
        if unescaped == nil { unescaped = Array(bytes[start..<position]) }
        position += 1
        unescaped?.append(contentsOf: try escape())
      case ..<0x20: throw .unexpectedByte(offset: position)
      default:
        unescaped?.append(byte)
        position += 1
      }
    }
    throw .truncated
  }

  /// The UTF-8 of an escape, whose backslash is passed.
  private mutating func escape() throws(JSONError) -> [UInt8] {
    guard position < bytes.count else { throw .truncated }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(Character(try escapedScalar())).utf8)
    default: throw .badEscape
    }
  }

  private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard (0xD800..<0xDC00).contains(first), bytes.count - position >= 6,
      bytes[position] == UInt8(ascii: "\\"), bytes[position + 1] == UInt8(ascii: "u")
    else { throw .badEscape }
    position += 2
    let second = try hexadecimal()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw .badEscape }
    return scalar
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    guard bytes.count - position >= 4 else { throw .truncated }
    var value: UInt32 = 0
    for byte in bytes[position..<position + 4] {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte & 0xF)
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
        value = value << 4 | UInt32(byte & 0xF + 9)
      default: throw .badEscape
      }
    }
    position += 4
    return value
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    // Only a number that breaks a rule of JSON, or is larger than most, goes through the rules.
    if let shape = NumberText.shape(bytes, from: position, to: bytes.count),
      !shape.hasLeadingZero, let value = JSONValue(shape),
      shape.end == bytes.count || !Self.mayContinue(bytes[shape.end])
    {
      position = shape.end
      return value
    }
    return try checkedNumber()
  }

  /// Whether a byte after a number could be part of it, or what spoils it.
  private static func mayContinue(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e")
  }

  private mutating func checkedNumber() throws(JSONError) -> JSONValue {
    let start = position
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let isNegative = position > start
    let leading = position
    try digits()
    if bytes[leading] == UInt8(ascii: "0"), position - leading > 1 {
      throw .unexpectedByte(offset: leading)
    }
    var isWhole = true
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      try digits()
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if position < bytes.count,
        bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      try digits()
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    // An integer has no zero below zero.
    if isWhole, let integer = Int64(text), integer != 0 || !isNegative { return .integer(integer) }
    guard let double = Double(text), double.isFinite else { throw .numberOutOfRange }
    return .double(double)
  }

  /// Passes one digit or more.
  private mutating func digits() throws(JSONError) {
    guard position < bytes.count else { throw .truncated }
    let start = position
    while position < bytes.count, bytes[position] ^ 0x30 < 10 { position += 1 }
    guard position > start else { throw .unexpectedByte(offset: position) }
  }
}
