// SPDX-License-Identifier: Apache-2.0

// The digest from which the keys of tombstones are made. It protects nothing.

/// The SHA-1 digest of bytes.
enum SHA1 {
  /// The first eight bytes of the digest as a little-endian number.
  static func low(of bytes: some Collection<UInt8>) -> UInt64 {
    let words = digest(of: bytes)
    return (UInt64(words[0]) << 32 | UInt64(words[1])).byteSwapped
  }

  /// The digest in five numbers, the first bytes in the most significant ones.
  static func digest(of bytes: some Collection<UInt8>) -> [UInt32] {
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    var schedule = [UInt32](repeating: 0, count: 80)
    var block: [UInt8] = []
    block.reserveCapacity(64)
    var length: UInt64 = 0
    for byte in bytes {
      block.append(byte)
      length += 8
      if block.count == 64 { mix(&block, into: &state, &schedule) }
    }
    block.append(0x80)
    if block.count == 64 { mix(&block, into: &state, &schedule) }
    if block.count > 56 {
      block += [UInt8](repeating: 0, count: 64 - block.count)
      mix(&block, into: &state, &schedule)
    }
    block += [UInt8](repeating: 0, count: 56 - block.count)
    for shift in stride(from: 56, through: 0, by: -8) {
      block.append(UInt8(truncatingIfNeeded: length >> UInt64(shift)))
    }
    mix(&block, into: &state, &schedule)
    return state
  }

  /// Mixes a full block into the state, and empties it.
  private static func mix(
    _ block: inout [UInt8], into state: inout [UInt32], _ schedule: inout [UInt32]
  ) {
    for index in 0..<16 {
      var word: UInt32 = 0
      for offset in 0..<4 { word = word << 8 | UInt32(block[index * 4 + offset]) }
      schedule[index] = word
    }
    for index in 16..<80 {
      schedule[index] = rotate(
        schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16], 1)
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (mixed, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ schedule[index]
      (a, b, c, d, e) = (next, a, rotate(b, 30), c, d)
    }
    for (index, word) in [a, b, c, d, e].enumerated() { state[index] &+= word }
    block.removeAll(keepingCapacity: true)
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
