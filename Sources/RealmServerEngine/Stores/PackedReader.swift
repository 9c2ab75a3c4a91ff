// SPDX-License-Identifier: Apache-2.0

// Packed bytes become values, whatever they are: stored touches, journals, and messages between
// servers.
//
// Invariants:
// 1. `position` is at most the number of bytes; a read beyond throws.

/// Bytes that are not what was packed.
package struct PackedBytesError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// Reads what a `PackedWriter` has written.
package struct PackedReader {
  private let bytes: [UInt8]
  private var position: Int

  package init(_ bytes: [UInt8], from position: Int = 0) {
    self.bytes = bytes
    self.position = min(position, bytes.count)
  }

  private static let truncated = PackedBytesError("the bytes end early")

  /// The next byte.
  package mutating func byte() throws(PackedBytesError) -> UInt8 {
    guard position < bytes.count else { throw Self.truncated }
    defer { position += 1 }
    return bytes[position]
  }

  /// A number of at most 64 bits.
  package mutating func number() throws(PackedBytesError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0 as UInt64, through: 63, by: 7) {
      let next = try byte()
      guard shift < 63 || next <= 1 else { break }
      value |= UInt64(next & 0x7F) << shift
      guard next >= 0x80 else { return value }
    }
    throw PackedBytesError("a number has more than 64 bits")
  }

  /// A number with a sign.
  package mutating func signed() throws(PackedBytesError) -> Int64 {
    let bits = try number()
    return Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1)
  }

  /// A number of fixed size, the lowest byte first.
  package mutating func fixed<Number: FixedWidthInteger>() throws(PackedBytesError) -> Number {
    var value: Number = 0
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      value |= Number(truncatingIfNeeded: try byte()) << shift
    }
    return value
  }

  /// Skips a byte if it is the next one. Returns whether it was.
  package mutating func skip(_ byte: UInt8) -> Bool {
    guard position < bytes.count, bytes[position] == byte else { return false }
    position += 1
    return true
  }

  /// A number in the range of integers.
  package mutating func integer() throws(PackedBytesError) -> Int {
    guard let value = Int(exactly: try number()) else {
      throw PackedBytesError("a number is too large")
    }
    return value
  }

  /// The number of the elements that follow, of which each has a byte at least.
  package mutating func count() throws(PackedBytesError) -> Int {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw Self.truncated }
    return Int(count)
  }

  /// A 0 or a 1.
  package mutating func flag() throws(PackedBytesError) -> Bool {
    let value = try byte()
    guard value <= 1 else { throw PackedBytesError("\(value) is no flag") }
    return value == 1
  }

  /// Bytes after their number.
  package mutating func content() throws(PackedBytesError) -> [UInt8] { Array(bytes[try range()]) }

  /// A text after the number of its bytes, which have to be UTF-8.
  package mutating func text() throws(PackedBytesError) -> String {
    let range = try range()
    guard let text = String(validating: bytes[range], as: UTF8.self) else {
      throw PackedBytesError("a text is not UTF-8")
    }
    return text
  }

  /// A number, or none.
  package mutating func optionalNumber() throws(PackedBytesError) -> UInt64? {
    try flag() ? try number() : nil
  }

  /// A text, or none.
  package mutating func optionalText() throws(PackedBytesError) -> String? {
    try flag() ? try text() : nil
  }

  /// All bytes that are left.
  package mutating func rest() -> [UInt8] {
    defer { position = bytes.count }
    return Array(bytes[position...])
  }

  /// Checks that nothing is left.
  package func finish() throws(PackedBytesError) {
    guard position == bytes.count else { throw PackedBytesError("bytes follow the end") }
  }

  private mutating func range() throws(PackedBytesError) -> Range<Int> {
    let count = try count()
    defer { position += count }
    return position..<position + count
  }
}
