// SPDX-License-Identifier: Apache-2.0

// The content of realms as one number.

#if Server
/// A digest of lines: FNV-1a with 64 bits.
struct Digest {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ line: String) {
    for byte in line.utf8 { add(byte) }
    add(0)
  }

  private mutating func add(_ byte: UInt8) {
    state = (state ^ UInt64(byte)) &* 0x100_0000_01B3
  }

  var text: String { String(state, radix: 16) }
}
#endif
