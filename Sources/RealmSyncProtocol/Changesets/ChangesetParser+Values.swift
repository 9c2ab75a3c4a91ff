// SPDX-License-Identifier: Apache-2.0

// Reading strings, keys and payloads.

import RealmText

extension ChangesetParser {
  /// A reference to an earlier string.
  mutating func string() throws(ChangesetError) -> InternedString {
    let index = try reader.unsigned()
    guard index < UInt64(changeset.strings.count) else { throw .undefinedString(index) }
    return InternedString(UInt32(index))
  }

  mutating func payloadType() throws(ChangesetError) -> PayloadType {
    let number = try reader.signed()
    guard let raw = Int8(exactly: number), let type = PayloadType(rawValue: raw) else {
      throw .unknownPayloadType(number)
    }
    return type
  }

  mutating func key() throws(ChangesetError) -> PrimaryKey {
    let type = try payloadType()
    switch type {
    case .null: return .null
    case .int: return .int(try reader.signed())
    case .string: return .string(try string())
    case .globalKey:
      return .globalKey(GlobalKey(high: try reader.unsigned(), low: try reader.unsigned()))
    case .objectID: return .objectID(try objectID())
    case .uuid: return .uuid(try uuid())
    default: throw .badKeyType(type)
    }
  }

  mutating func payload() throws(ChangesetError) -> Payload {
    let type = try payloadType()
    switch type {
    case .null: return .null
    case .int: return .int(try reader.signed())
    case .bool: return .bool(try reader.flag())
    case .string:
      let range = try blob(Self.stringByteCountMax)
      guard UTF8Validation.isValid(reader.bytes, range.indices) else { throw .invalidUTF8 }
      return .string(range)
    case .binary: return .binary(try blob(Self.binaryByteCountMax))
    case .timestamp: return try timestamp()
    case .float:
      return .float(
        Float(bitPattern: UInt32(truncatingIfNeeded: try reader.bigEndian(4)).byteSwapped))
    case .double: return .double(Double(bitPattern: try reader.bigEndian(8).byteSwapped))
    case .decimal: return try decimal()
    case .link: return .link(table: try string(), key: try key())
    case .objectID: return .objectID(try objectID())
    case .uuid: return .uuid(try uuid())
    case .objectValue: return .objectValue
    case .dictionary: return .dictionary
    case .erased: return .erased
    case .list: return .list
    case .set: return .set
    case .globalKey: throw .badPayloadType(type)
    }
  }

  /// The range of a string's or binary's bytes in the input.
  private mutating func blob(_ countMax: Int) throws(ChangesetError) -> ByteRange {
    let range = try reader.bytes(count: try reader.unsigned())
    guard range.count <= countMax else { throw .payloadTooLong(range.count) }
    if changeset.payloadBytes.isEmpty { changeset.payloadBytes = reader.bytes }
    return ByteRange(offset: range.lowerBound, count: range.count)
  }

  private mutating func timestamp() throws(ChangesetError) -> Payload {
    let seconds = try reader.signed()
    let nanoseconds = try reader.signed()
    guard nanoseconds.magnitude < 1_000_000_000,
      seconds == 0 || nanoseconds == 0 || (seconds < 0) == (nanoseconds < 0)
    else { throw .badTimestamp }
    return .timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  private mutating func decimal() throws(ChangesetError) -> Payload {
    let (high, low) = try reader.coefficient()
    let exponent = try reader.signed()
    let isNegative = try reader.flag()
    guard
      let bits = Decimal128Bits(
        coefficientHigh: high, coefficientLow: low, exponent: exponent, isNegative: isNegative)
    else { throw .badDecimal }
    return .decimal(bits)
  }

  private mutating func objectID() throws(ChangesetError) -> ObjectIDBits {
    ObjectIDBits(
      high: try reader.bigEndian(8), low: UInt32(truncatingIfNeeded: try reader.bigEndian(4)))
  }

  private mutating func uuid() throws(ChangesetError) -> UUIDBits {
    UUIDBits(high: try reader.bigEndian(8), low: try reader.bigEndian(8))
  }
}
