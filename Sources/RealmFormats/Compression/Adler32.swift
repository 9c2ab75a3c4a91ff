// SPDX-License-Identifier: Apache-2.0

// The checksum at the end of a zlib stream.

/// The checksum of RFC 1950.
enum Adler32 {
  private static let modulus: UInt32 = 65_521
  /// The most bytes whose sums stay inside of 32 bits.
  private static let runMax = 5_552

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
