// SPDX-License-Identifier: Apache-2.0

// The digest SHA-224 (FIPS 180-4), which the format's authentication codes need and which the
// cryptographic library does not offer.
//
// The processor's own instructions do the work where it has some (`realm_sha256_blocks`); the
// rounds below are for all others.

import CRealmPlatform

/// A digest that is being computed: SHA-256's rounds from another start, cut to 28 bytes.
struct SHA224: Sendable {
  static let byteCount = 28
  static let blockByteCount = 64

  private var state: SIMD8<UInt32> = [
    0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939,
    0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
  ]
  private var consumed = 0
  private let isPortable: Bool

  /// A digest of nothing yet.
  ///
  /// - Parameter isPortable: Whether the processor's instructions are left aside; for tests.
  init(isPortable: Bool = false) { self.isPortable = isPortable }

  /// Takes whole blocks in.
  mutating func update(_ blocks: UnsafeRawPointer, count: Int) {
    consumed += count * Self.blockByteCount
    let isDone = unsafe withUnsafeMutableBytes(of: &state) { raw in
      let words = unsafe raw.baseAddress?.assumingMemoryBound(to: UInt32.self)
      return unsafe !isPortable && realm_sha256_blocks(words, blocks, count)
    }
    guard !isDone else { return }
    for index in 0..<count { unsafe takePortably(blocks + index * Self.blockByteCount) }
  }

  /// The digest of all blocks and of `rest`, which is shorter than a block.
  func digest(after rest: UnsafeRawBufferPointer) -> PageCode {
    var copy = self
    // The end mark and the length need nine bytes.
    let blockCount = rest.count + 9 > Self.blockByteCount ? 2 : 1
    let byteCount = blockCount * Self.blockByteCount
    unsafe withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 16) { last in
      unsafe last.initializeMemory(as: UInt8.self, repeating: 0)
      unsafe last.copyBytes(from: rest)
      unsafe last[rest.count] = 0x80
      let bitCount = UInt64((consumed + rest.count) * 8)
      unsafe last.storeBytes(of: bitCount.bigEndian, toByteOffset: byteCount - 8, as: UInt64.self)
      // The allocation is not empty.
      unsafe copy.update(UnsafeRawPointer(last.baseAddress!), count: blockCount)
    }
    copy.state[7] = 0
    return PageCode(words: copy.state)
  }

  private mutating func takePortably(_ block: UnsafeRawPointer) {
    unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
      for index in 0..<16 {
        unsafe words[index] = unsafe UInt32(
          bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
      }
      for index in 16..<64 {
        let early = unsafe words[index - 15]
        let late = unsafe words[index - 2]
        let first = Self.rotate(early, 7) ^ Self.rotate(early, 18) ^ early &>> 3
        let second = Self.rotate(late, 17) ^ Self.rotate(late, 19) ^ late &>> 10
        unsafe words[index] = unsafe words[index - 16] &+ first &+ words[index - 7] &+ second
      }
      state = unsafe Self.roundConstants.withUnsafeBufferPointer {
        unsafe Self.rounds(state, words, $0)
      }
    }
  }

  private static func rounds(
    _ state: SIMD8<UInt32>, _ words: UnsafeMutableBufferPointer<UInt32>,
    _ constants: UnsafeBufferPointer<UInt32>
  ) -> SIMD8<UInt32> {
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let choice = (e & f) ^ (~e & g)
      let sumOfE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
      let first = unsafe h &+ sumOfE &+ choice &+ constants[index] &+ words[index]
      let majority = (a & b) ^ (a & c) ^ (b & c)
      let sumOfA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ sumOfA &+ majority)
    }
    return state &+ SIMD8(a, b, c, d, e, f, g, h)
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &>> count | word &<< (32 - count)
  }

  private static let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
  ]
}
