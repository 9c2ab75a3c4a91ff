// SPDX-License-Identifier: Apache-2.0

// The encodings of integers and bytes into existing room, as `Array+Encoding` appends them.

extension MutableSpan where Element == UInt8 {
  @inline(__always)
  mutating func store(_ byte: UInt8, at end: inout Int) {
    self[end] = byte
    end += 1
  }

  /// Seven bits a byte, the lowest first; the last byte has six bits and the sign.
  @inline(__always)
  mutating func store(signed value: Int64, at end: inout Int) {
    let isNegative = value < 0
    store(
      magnitude: UInt64(bitPattern: isNegative ? ~value : value), sign: isNegative ? 0x40 : 0,
      at: &end)
  }

  /// The same code without a sign.
  @inline(__always)
  mutating func store(unsigned value: UInt64, at end: inout Int) {
    store(magnitude: value, sign: 0, at: &end)
  }

  @inline(__always)
  private mutating func store(magnitude: UInt64, sign: UInt8, at end: inout Int) {
    var rest = magnitude
    while rest >= 0x40 {
      store(0x80 | UInt8(truncatingIfNeeded: rest & 0x7F), at: &end)
      rest >>= 7
    }
    store(UInt8(truncatingIfNeeded: rest) | sign, at: &end)
  }

  @inline(__always)
  mutating func store(_ type: PayloadType, at end: inout Int) {
    store(signed: Int64(type.rawValue), at: &end)
  }

  @inline(__always)
  mutating func store(bigEndian value: some FixedWidthInteger, at end: inout Int) {
    var rest = value
    for _ in 0..<value.bitWidth / 8 {
      store(UInt8(truncatingIfNeeded: rest >> (rest.bitWidth - 8)), at: &end)
      rest <<= 8
    }
  }
}
