// SPDX-License-Identifier: Apache-2.0

// Whether two readings have seen the same bytes.

#if Tools
/// A number of all bytes (FNV-1a with 64 bits): it detects changes, and is no protection.
struct InputDigest: Hashable, Sendable {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { add(byte) }
  }

  /// Adds the bytes of a range.
  mutating func add(_ bytes: [UInt8], _ range: Range<Int>) {
    var value = value
    for index in range { value = (value ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3 }
    self.value = value
  }

  /// Adds a text with its length, so two texts differ from their sum.
  mutating func add(_ text: String) {
    add(UInt64(text.utf8.count))
    add(text.utf8)
  }

  mutating func add(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}
#endif
