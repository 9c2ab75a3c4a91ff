// SPDX-License-Identifier: Apache-2.0

// A digest of words, for the checksums of nodes (file format 1.3.5) and records of commits (2.4.1).
//
// It detects what disks do to bytes, and no intent: who can write the file can make digests. Four
// lanes, each a multiplication for 16 bytes, do not wait for one another: 28 GB a second.

/// Makes digests of words.
enum WordDigest {
  private static let first: UInt64 = 0xA076_1D64_78BD_642F
  private static let second: UInt64 = 0xE703_7ED1_A0B4_28DB
  private static let third: UInt64 = 0x8EBC_6AF0_9C88_C6E3
  private static let fourth: UInt64 = 0x5899_65CC_7537_4CC3

  /// The halves of the product, combined.
  @inline(__always)
  private static func fold(_ x: UInt64, _ y: UInt64) -> UInt64 {
    let product = x.multipliedFullWidth(by: y)
    return product.low ^ product.high
  }

  /// The digest of words that stand at a position of the file.
  ///
  /// - Parameters:
  ///   - byteCount: A multiple of 8.
  ///   - last: What counts as the last word; 0 if there is none.
  ///   - kind: Whatever else the digest is of.
  /// - Safety: So many bytes are readable.
  @inline(__always)
  static func value(
    of words: UnsafeRawPointer, byteCount: Int, last: UInt64, at position: Int, kind: UInt64
  ) -> UInt64 {
    func word(_ place: Int) -> UInt64 {
      unsafe words.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
    }
    var (a, b, c, d) = (UInt64(truncatingIfNeeded: position) ^ second, third, fourth, first)
    let end = byteCount &- 8
    var offset = 0
    while offset &+ 64 <= end {
      a = fold(word(offset) ^ first, word(offset &+ 8) ^ a)
      b = fold(word(offset &+ 16) ^ second, word(offset &+ 24) ^ b)
      c = fold(word(offset &+ 32) ^ third, word(offset &+ 40) ^ c)
      d = fold(word(offset &+ 48) ^ fourth, word(offset &+ 56) ^ d)
      offset &+= 64
    }
    a ^= b ^ c ^ d
    while offset &+ 16 <= end {
      a = fold(word(offset) ^ first, word(offset &+ 8) ^ a)
      offset &+= 16
    }
    a = fold((offset < end ? word(offset) : 0) ^ second, last ^ a)
    return fold(a ^ third, kind ^ fourth)
  }
}
