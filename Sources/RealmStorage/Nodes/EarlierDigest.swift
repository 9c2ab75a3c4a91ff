// SPDX-License-Identifier: Apache-2.0

// The digest of nodes that were written before the one of today (file format 1.3.5): they stay
// whole, and get the new one when they are written again.

/// Makes the digests that builds before the first release made.
enum EarlierDigest {
  /// A half of the digest.
  private struct Lane {
    var low: UInt64
    var high: UInt64

    mutating func mix(_ first: UInt64, _ second: UInt64) {
      let product = (first ^ low ^ 0xA076_1D64_78BD_642F)
        .multipliedFullWidth(by: second ^ high ^ 0xE703_7ED1_A0B4_28DB)
      low = (low ^ product.low) &+ first
      high = (high ^ product.high) &+ second
      low = low &<< 29 | low &>> 35
      high = high &<< 31 | high &>> 33
    }
  }

  /// The digest of a payload with its padding.
  ///
  /// - Safety: So many bytes are readable.
  static func value(
    of payload: UnsafeRawPointer, byteCount: Int, last: UInt64, at position: Int, kind: UInt64
  ) -> UInt64 {
    func word(_ place: Int) -> UInt64 {
      unsafe payload.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }
    let end = byteCount - 8
    var even = Lane(low: UInt64(position) ^ 0x9E37_79B9_7F4A_7C15, high: kind)
    var odd = Lane(low: 0xC2B2_AE3D_27D4_EB4F, high: 0x1656_67B1_9E37_79F9)
    var offset = 0
    while offset + 32 <= end {
      even.mix(word(offset), word(offset + 8))
      odd.mix(word(offset + 16), word(offset + 24))
      offset += 32
    }
    if offset + 16 <= end {
      even.mix(word(offset), word(offset + 8))
      offset += 16
    }
    even.mix(offset < end ? word(offset) : 0, last)
    even.mix(odd.low, odd.high)
    even.mix(even.high, even.low)
    return even.low ^ even.high
  }
}
