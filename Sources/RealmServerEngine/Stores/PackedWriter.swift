// SPDX-License-Identifier: Apache-2.0

// Values become packed bytes: numbers of seven bits a byte, the lowest first, signed ones
// zigzagged; lengths before what they are of.

/// Writes values that a `PackedReader` reads.
package struct PackedWriter {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(0x80 | UInt8(truncatingIfNeeded: rest))
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A number with a sign.
  package mutating func write(signed number: Int64) {
    write(UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  /// A number of fixed size, the lowest byte first.
  package mutating func write<Number: FixedWidthInteger>(fixed number: Number) {
    for shift in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// A single byte.
  package mutating func write(byte: UInt8) { bytes.append(byte) }

  package mutating func write(_ number: Int) { write(UInt64(max(number, 0))) }

  package mutating func write(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  package mutating func write(_ content: [UInt8]) {
    write(content.count)
    bytes += content
  }

  package mutating func write(_ text: String) {
    write(text.utf8.count)
    bytes += text.utf8
  }

  package mutating func write(_ number: UInt64?) {
    write(number != nil)
    if let number { write(number) }
  }

  package mutating func write(_ text: String?) {
    write(text != nil)
    if let text { write(text) }
  }

  /// What has a form of its own, as it is.
  package mutating func append(_ content: [UInt8]) { bytes += content }
}
