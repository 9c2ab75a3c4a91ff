// SPDX-License-Identifier: Apache-2.0

// A hash of 128 bits, the same in all processes and on all platforms.

/// Hashes a sequence of words.
///
/// For names of files, and for comparing the contents of files in tests: equal digests of different
/// words are as unlikely as chance makes them, but they can be made on purpose.
package struct DigestHasher {
  private var first: UInt64
  private var second: UInt64

  package init(_ tag: UInt64) {
    first = 0x243F_6A88_85A3_08D3 ^ tag
    second = 0x1319_8A2E_0370_7344 &+ tag
  }

  package mutating func add(_ word: UInt64) {
    first = Self.mix(first ^ word, 0x9E37_79B9_7F4A_7C15)
    second = Self.mix(second &+ word, 0xD6E8_FEB8_6659_FD93) ^ word
  }

  package mutating func add(_ text: String) { add(bytes: text.utf8) }

  package mutating func add(bytes: some Collection<UInt8>) {
    var word: UInt64 = 0
    var count: UInt64 = 0
    for byte in bytes {
      word = word << 8 | UInt64(byte)
      count += 1
      if count % 8 == 0 {
        add(word)
        word = 0
      }
    }
    add(word)
    add(count)
  }

  package var digest: (high: UInt64, low: UInt64) {
    (
      high: Self.mix(first ^ second, 0xA076_1D64_78BD_642F),
      low: Self.mix(second &+ 0xE703_7ED1_A0B4_28DB, first | 1)
    )
  }

  private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
