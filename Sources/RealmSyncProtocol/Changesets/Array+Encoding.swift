// SPDX-License-Identifier: Apache-2.0

// The encodings of integers, strings, keys and payloads.

import RealmText

extension Array where Element == UInt8 {
  /// Seven bits a byte, the lowest first; the last byte has six bits and the sign.
  @inline(__always)
  mutating func write(signed value: Int64) {
    let isNegative = value < 0
    write(magnitude: UInt64(bitPattern: isNegative ? ~value : value), sign: isNegative ? 0x40 : 0)
  }

  /// The same code without a sign.
  @inline(__always)
  mutating func write(unsigned value: UInt64) { write(magnitude: value, sign: 0) }

  @inline(__always)
  private mutating func write(magnitude: UInt64, sign: UInt8) {
    var rest = magnitude
    while rest >= 0x40 {
      append(0x80 | UInt8(truncatingIfNeeded: rest & 0x7F))
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest) | sign)
  }

  @inline(__always)
  mutating func write(_ tag: InstructionTag) { append(tag.rawValue) }

  @inline(__always)
  mutating func write(_ string: InternedString) { write(unsigned: UInt64(string.index)) }

  @inline(__always)
  mutating func write(_ type: PayloadType) { write(signed: Int64(type.rawValue)) }

  mutating func writeDefinition(of string: InternedString, in strings: StringTable) {
    let bytes = strings.bytes(of: string)
    write(.defineString)
    write(string)
    write(unsigned: UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  mutating func write(_ key: PrimaryKey) {
    switch key {
    case .null: write(PayloadType.null)
    case .int(let value):
      write(PayloadType.int)
      write(signed: value)
    case .string(let string):
      write(PayloadType.string)
      write(string)
    case .globalKey(let key):
      write(PayloadType.globalKey)
      write(unsigned: key.high)
      write(unsigned: key.low)
    case .objectID(let id):
      write(PayloadType.objectID)
      write(bigEndian: id.high)
      write(bigEndian: id.low)
    case .uuid(let id):
      write(PayloadType.uuid)
      write(bigEndian: id.high)
      write(bigEndian: id.low)
    }
  }

  /// What follows the type of a payload that is no string and no binary.
  mutating func write(fixed value: Payload) {
    switch value {
    case .null, .objectValue, .dictionary, .erased, .list, .set, .string, .binary: break
    case .int(let number): write(signed: number)
    case .bool(let flag): append(flag ? 1 : 0)
    case .timestamp(let seconds, let nanoseconds):
      write(signed: seconds)
      write(signed: Int64(nanoseconds))
    case .float(let number): write(bigEndian: number.bitPattern.byteSwapped)
    case .double(let number): write(bigEndian: number.bitPattern.byteSwapped)
    case .decimal(let bits):
      write(coefficientOf: bits)
      write(signed: bits.exponent)
      append(bits.isNegative ? 1 : 0)
    case .link(let table, let key):
      write(table)
      write(key)
    case .objectID(let id):
      write(bigEndian: id.high)
      write(bigEndian: id.low)
    case .uuid(let id):
      write(bigEndian: id.high)
      write(bigEndian: id.low)
    }
  }

  private mutating func write(coefficientOf bits: Decimal128Bits) {
    var low = bits.low
    var high = bits.coefficientHigh
    while high > 0 || low >= 0x40 {
      append(0x80 | UInt8(truncatingIfNeeded: low & 0x7F))
      low = low >> 7 | high << 57
      high >>= 7
    }
    append(UInt8(truncatingIfNeeded: low))
  }

  @inline(__always)
  private mutating func write(bigEndian value: some FixedWidthInteger) {
    var rest = value
    for _ in 0..<value.bitWidth / 8 {
      append(UInt8(truncatingIfNeeded: rest >> (rest.bitWidth - 8)))
      rest <<= 8
    }
  }
}
