// SPDX-License-Identifier: Apache-2.0

// The members of a JSON object, read from the bytes where they lie.

#if Tools
import RealmFormats
import RealmText

/// Reads the parts of an object of JSON. What it does not read need not be wrong: `JSONParser`
/// decides. What it reads is what `JSONParser` would.
struct JSONMemberScanner {
  private let bytes: [UInt8]
  private let end: Int
  private var position: Int

  /// - Parameter range: Where the object lies, perhaps between spaces.
  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  @inline(__always)
  private mutating func skipSpace() {
    while position < end {
      let byte = bytes[position]
      guard
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
          || byte == UInt8(ascii: "\r")
      else { return }
      position += 1
    }
  }

  /// Whether nothing but spaces follows.
  var isAtEnd: Bool {
    var rest = self
    rest.skipSpace()
    return rest.position == end
  }

  /// Whether the next byte that is no space is this one, which is then passed.
  @inline(__always)
  mutating func skip(_ byte: UInt8) -> Bool {
    skipSpace()
    guard position < end, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// The bytes of a text without escapes; nil if there is none, and the position has not moved.
  mutating func text() -> Range<Int>? {
    skipSpace()
    guard position < end, bytes[position] == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    var index = start
    var combined: UInt8 = 0
    while index < end {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        guard combined < 0x80 || UTF8Validation.isValid(bytes, start..<index) else { return nil }
        position = index + 1
        return start..<index
      }
      guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
      combined |= byte
      index += 1
    }
    return nil
  }

  /// The value of a member; nil if it is none.
  mutating func value() -> ImportRecord.Cell.Value? {
    skipSpace()
    guard position < end else { return nil }
    switch bytes[position] {
    case UInt8(ascii: "\""):
      if let range = text() { return .text(range) }
    case UInt8(ascii: "t") where skip(word: "true"): return .json(.bool(true))
    case UInt8(ascii: "f") where skip(word: "false"): return .json(.bool(false))
    case UInt8(ascii: "n") where skip(word: "null"): return .json(.null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      if let number = number() { return .json(number) }
    default: break
    }
    var after = position
    guard let value = try? JSONParser.value(in: bytes, at: &after, depth: 1), after <= end else {
      return nil
    }
    position = after
    return .json(value)
  }

  private mutating func skip(word: StaticString) -> Bool {
    let count = word.utf8CodeUnitCount
    guard end - position >= count else { return false }
    for (offset, byte) in word.description.utf8.enumerated() where bytes[position + offset] != byte
    {
      return false
    }
    position += count
    return true
  }

  private mutating func number() -> JSONValue? {
    guard let shape = NumberText.shape(bytes, from: position, to: end), !shape.hasLeadingZero,
      let value = JSONValue(shape)
    else { return nil }
    // The byte after a number must be one that ends it.
    if shape.end < end, bytes[shape.end] == UInt8(ascii: ".") || bytes[shape.end] | 0x20 == 0x65 {
      return nil
    }
    position = shape.end
    return value
  }
}
#endif
