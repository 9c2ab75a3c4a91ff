// SPDX-License-Identifier: Apache-2.0

// The 32- and 64-bit encodings of decimals that leaves store where they suffice.

extension DecimalBits {
  /// The decimal of a BID32 pattern, or nil if that represents null.
  init?(bits32: UInt32) {
    guard bits32 != 0x7C00_00AA else { return nil }
    if bits32 >> 27 & 0xF == 0xF {
      self.init(low: 0, high: UInt64(bits32) << 32 & 0xFE00_0000_0000_0000)
      return
    }
    let isLarge = bits32 >> 29 & 3 == 3
    self.init(
      sign: UInt64(bits32 >> 31),
      coefficient: UInt64(isLarge ? 1 << 23 | bits32 & 0x1F_FFFF : bits32 & 0x7F_FFFF),
      exponent: Int((isLarge ? bits32 >> 21 : bits32 >> 23) & 0xFF) - 101)
  }

  /// The decimal of a BID64 pattern, or nil if that represents null.
  init?(bits64: UInt64) {
    guard bits64 != 0x7C00_0000_0000_00AA else { return nil }
    if bits64 >> 59 & 0xF == 0xF {
      self.init(low: 0, high: bits64 & 0xFE00_0000_0000_0000)
      return
    }
    let isLarge = bits64 >> 61 & 3 == 3
    self.init(
      sign: bits64 >> 63,
      coefficient: isLarge
        ? 1 << 53 | bits64 & 0x7_FFFF_FFFF_FFFF : bits64 & 0x1F_FFFF_FFFF_FFFF,
      exponent: Int((isLarge ? bits64 >> 51 : bits64 >> 53) & 0x3FF) - 398)
  }

  private init(sign: UInt64, coefficient: UInt64, exponent: Int) {
    self.init(
      low: coefficient, high: sign << 63 | UInt64(exponent + Self.exponentBias) << 49)
  }

  /// The unbiased exponent of a finite decimal.
  private var exponent: Int { Int(high >> 49 & 0x3FFF) - Self.exponentBias }

  /// The bytes of a leaf's cell for this: 0 for a zero without one, else 4, 8 or 16.
  var leafWidth: Int {
    if self == .zero { return 0 }
    guard high >> 61 & 3 != 3, high & 0x1_FFFF_FFFF_FFFF == 0 else { return 16 }
    let magnitude = abs(exponent)
    if low < 1 << 23, magnitude < 91 { return 4 }
    return low < 1 << 53 && magnitude < 370 ? 8 : 16
  }

  /// The BID32 pattern; `leafWidth` is at most 4.
  var bits32: UInt32 {
    (UInt32(truncatingIfNeeded: high >> 32) & 1 << 31)
      | UInt32(truncatingIfNeeded: exponent + 101) << 23 | UInt32(truncatingIfNeeded: low)
  }

  /// The BID64 pattern; `leafWidth` is at most 8.
  var bits64: UInt64 {
    (high & 1 << 63) | UInt64(truncatingIfNeeded: exponent + 398) << 53 | low
  }
}
