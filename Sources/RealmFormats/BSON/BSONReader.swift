// SPDX-License-Identifier: Apache-2.0

// Bytes of BSON become values.

import RealmText

/// Reads one document of BSON.
///
/// Any sequence of bytes gives a document or an error. Types that have no value of their own here
/// are read as their extended JSON: a code is the document `{"$code": …}`.
package struct BSONReader {
  /// The most arrays and documents that may be inside of each other.
  package static let depthMax = 100
  /// The size of the smallest document.
  package static let byteCountMin = 5

  private let bytes: [UInt8]
  private let start: Int
  private let end: Int
  private var position: Int

  private init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    (start, end, position) = (range.lowerBound, range.upperBound, range.lowerBound)
  }

  /// The document that all of the bytes are.
  package static func document(_ bytes: [UInt8]) throws(BSONDataError) -> BSONValue {
    try document(in: bytes, bytes.indices)
  }

  /// The document that all bytes of a range are.
  package static func document(
    in bytes: [UInt8], _ range: Range<Int>
  ) throws(BSONDataError) -> BSONValue {
    var reader = BSONReader(bytes, range)
    let elements = try reader.elements(depth: 1)
    guard reader.position == reader.end else { throw reader.error(.badLength) }
    return .document(elements)
  }

  private func error(_ reason: BSONDataError.Reason) -> BSONDataError {
    BSONDataError(reason: reason, offset: position - start)
  }

  // MARK: Parts

  private mutating func byte() throws(BSONDataError) -> UInt8 {
    guard position < end else { throw error(.truncated) }
    defer { position += 1 }
    return bytes[position]
  }

  private mutating func number(_ count: Int) throws(BSONDataError) -> UInt64 {
    guard end - position >= count else { throw error(.truncated) }
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(bytes[position + index]) << UInt64(8 * index) }
    position += count
    return value
  }

  private mutating func length() throws(BSONDataError) -> Int {
    Int(Int32(truncatingIfNeeded: try number(4)))
  }

  private func text(_ range: Range<Int>) throws(BSONDataError) -> String {
    guard UTF8Validation.isValid(bytes, range) else { throw error(.invalidUTF8) }
    return String(decoding: bytes[range], as: UTF8.self)
  }

  /// A text up to a zero.
  private mutating func name() throws(BSONDataError) -> String {
    let start = position
    while position < end, bytes[position] != 0 { position += 1 }
    guard position < end else { throw error(.truncated) }
    defer { position += 1 }
    return try text(start..<position)
  }

  /// A text with its length.
  private mutating func string() throws(BSONDataError) -> String {
    let count = try length()
    guard count >= 1 else { throw error(.badLength) }
    guard end - position >= count else { throw error(.truncated) }
    guard bytes[position + count - 1] == 0 else { throw error(.badLength) }
    defer { position += count }
    return try text(position..<position + count - 1)
  }

  private mutating func objectID() throws(BSONDataError) -> ObjectIDBits {
    ObjectIDBits(
      high: try number(8).byteSwapped, low: UInt32(truncatingIfNeeded: try number(4)).byteSwapped)
  }

  private mutating func binary() throws(BSONDataError) -> BSONValue {
    var count = try length()
    let subtype = try byte()
    guard count >= 0 else { throw error(.badLength) }
    guard end - position >= count else { throw error(.truncated) }
    if subtype == 2 {
      // The old form has a second length inside.
      guard count >= 4, try length() == count - 4 else { throw error(.badLength) }
      count -= 4
    }
    defer { position += count }
    return .binary(
      subtype: subtype == 2 ? 0 : subtype, bytes: Array(bytes[position..<position + count]))
  }

  // MARK: Documents

  private mutating func elements(depth: Int) throws(BSONDataError) -> [BSONElement] {
    guard depth <= Self.depthMax else { throw error(.tooDeep) }
    let first = position
    let count = try length()
    guard count >= Self.byteCountMin else { throw error(.badLength) }
    guard end - first >= count else { throw error(.truncated) }
    var elements: [BSONElement] = []
    while true {
      let type = try byte()
      guard type != 0 else { break }
      let key = try name()
      elements.append(BSONElement(key, try value(type, depth: depth)))
    }
    guard position - first == count else { throw error(.badLength) }
    return elements
  }

  private mutating func value(_ type: UInt8, depth: Int) throws(BSONDataError) -> BSONValue {
    switch type {
    case 0x01: return .double(Double(bitPattern: try number(8)))
    case 0x02: return .string(try string())
    case 0x03: return .document(try elements(depth: depth + 1))
    case 0x04: return .array(try elements(depth: depth + 1).map(\.value))
    case 0x05: return try binary()
    // The old undefined value is none.
    case 0x06, 0x0A: return .null
    case 0x07: return .objectID(try objectID())
    case 0x08:
      let truth = try byte()
      guard truth <= 1 else { throw error(.badTruth) }
      return .bool(truth == 1)
    case 0x09: return .date(unixMilliseconds: Int64(bitPattern: try number(8)))
    case 0x0B: return .regularExpression(pattern: try name(), options: try name())
    case 0x0C:
      let collection = try string()
      return .document([
        BSONElement("$ref", .string(collection)), BSONElement("$id", .objectID(try objectID())),
      ])
    case 0x0D: return .document([BSONElement("$code", .string(try string()))])
    case 0x0E: return .string(try string())
    case 0x0F: return try scopedCode(depth: depth)
    case 0x10: return .int32(Int32(truncatingIfNeeded: try number(4)))
    case 0x11:
      let increment = UInt32(try number(4))
      return .timestamp(seconds: UInt32(try number(4)), increment: increment)
    case 0x12: return .int64(Int64(bitPattern: try number(8)))
    case 0x13:
      let low = try number(8)
      return .decimal(DecimalText.text(low: low, high: try number(8)))
    case 0x7F: return .maxKey
    case 0xFF: return .minKey
    default: throw error(.unknownType(type))
    }
  }

  private mutating func scopedCode(depth: Int) throws(BSONDataError) -> BSONValue {
    let first = position
    let count = try length()
    let code = try string()
    let scope = try elements(depth: depth + 1)
    guard position - first == count else { throw error(.badLength) }
    return .document([
      BSONElement("$code", .string(code)), BSONElement("$scope", .document(scope)),
    ])
  }
}
