// SPDX-License-Identifier: Apache-2.0

// The checksum at the end of a zlib stream.

/// The checksum of RFC 1950.
enum Adler32 {
  private static let modulus: UInt32 = 65_521
  /// The most bytes whose sums stay inside of 32 bits.
  private static let runMax = 5_552

  /// The checksum of nothing.
  static let empty: UInt32 = 1

  /// The checksum of two inputs, one after the other, from those of each.
  static func checksum(of first: UInt32, then second: UInt32, byteCount: Int) -> UInt32 {
    let modulus = UInt64(modulus)
    let count = UInt64(byteCount) % modulus
    let (low1, low2) = (UInt64(first & 0xFFFF), UInt64(second & 0xFFFF))
    let (high1, high2) = (UInt64(first >> 16), UInt64(second >> 16))
    let low = (low1 + low2 + modulus - 1) % modulus
    let high = (high1 + high2 + count * low1 + modulus - count) % modulus
    return UInt32(high << 16 | low)
  }

  static func checksum(of bytes: Span<UInt8>) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    var position = 0
    while position < bytes.count {
      let end = min(position + runMax, bytes.count)
      for index in position..<end {
        low &+= UInt32(bytes[index])
        high &+= low
      }
      low %= modulus
      high %= modulus
      position = end
    }
    return high << 16 | low
  }
}
