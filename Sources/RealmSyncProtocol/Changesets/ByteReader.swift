// SPDX-License-Identifier: Apache-2.0

// Integers and runs of bytes from a sequence of bytes.

/// A position in bytes, moved by reads.
///
/// Invariants:
/// 1. `position` is at most the number of bytes; a read beyond throws.
struct ByteReader {
  let bytes: [UInt8]
  private(set) var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }
  var remaining: Int { bytes.count - position }

  @inline(__always)
  private mutating func byte() throws(ChangesetError) -> UInt8 {
    guard position < bytes.count else { throw .truncated }
    defer { position += 1 }
    return bytes[position]
  }

  @inline(__always)
  mutating func signed() throws(ChangesetError) -> Int64 {
    let (magnitude, isNegative) = try integer()
    guard let value = Int64(exactly: magnitude) else { throw .integerOutOfRange }
    return isNegative ? ~value : value
  }

  /// An integer without a sign.
  @inline(__always)
  mutating func unsigned() throws(ChangesetError) -> UInt64 {
    let (magnitude, isNegative) = try integer()
    guard !isNegative else { throw .negativeNumber }
    return magnitude
  }

  mutating func unsigned32() throws(ChangesetError) -> UInt32 {
    guard let value = UInt32(exactly: try unsigned()) else { throw .integerOutOfRange }
    return value
  }

  /// A 0 or a 1.
  mutating func flag() throws(ChangesetError) -> Bool {
    let number = try signed()
    guard number == 0 || number == 1 else { throw .badFlag(number) }
    return number == 1
  }

  @inline(__always)
  private mutating func integer() throws(ChangesetError) -> (UInt64, Bool) {
    let first = try byte()
    if first < 0x80 { return (UInt64(first & 0x3F), first & 0x40 != 0) }
    return try longInteger(first)
  }

  private mutating func longInteger(_ first: UInt8) throws(ChangesetError) -> (UInt64, Bool) {
    var value = UInt64(first & 0x7F)
    for shift in stride(from: 7 as UInt64, through: 63, by: 7) {
      let next = try byte()
      let isLast = next < 0x80
      let group = UInt64(next & (isLast ? 0x3F : 0x7F))
      if shift == 63 {
        guard isLast, group <= 1 else { throw .integerOutOfRange }
      }
      value |= group << shift
      if isLast { return (value, next & 0x40 != 0) }
    }
    throw .integerOutOfRange
  }

  /// The coefficient of a decimal: at most 113 bits in at most 17 bytes.
  mutating func coefficient() throws(ChangesetError) -> (high: UInt64, low: UInt64) {
    var high: UInt64 = 0
    var low: UInt64 = 0
    for shift in stride(from: 0 as UInt64, through: 112, by: 7) {
      let next = try byte()
      let isLast = next < 0x80
      guard !isLast || next & 0x40 == 0 else { throw .negativeNumber }
      let group = UInt64(next & 0x7F)
      if shift == 112, !isLast || group > 1 { throw .badDecimal }
      if shift < 64 { low |= group << shift }
      if shift > 57 { high |= shift < 64 ? group >> (64 - shift) : group << (shift - 64) }
      if isLast { return (high, low) }
    }
    throw .badDecimal
  }

  /// A number of 4 or 8 bytes, the highest byte first.
  mutating func bigEndian(_ count: Int) throws(ChangesetError) -> UInt64 {
    guard count <= remaining else { throw .truncated }
    var value: UInt64 = 0
    for offset in 0..<count { value = value << 8 | UInt64(bytes[position + offset]) }
    position += count
    return value
  }

  /// The range of the next bytes. Skips them.
  mutating func bytes(count: UInt64) throws(ChangesetError) -> Range<Int> {
    guard count <= UInt64(remaining) else { throw .truncated }
    defer { position += Int(count) }
    return position..<position + Int(count)
  }
}
