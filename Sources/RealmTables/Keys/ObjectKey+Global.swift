// SPDX-License-Identifier: Apache-2.0

// The identity that an object without primary key has on all devices: the file in which it was
// made, and a number there (P5 3).

/// ```
/// bits 0..7    low  0..7        bits 16..39  low  8..31
/// bits 8..15   high 0..7        bits 40..61  high 8..29
/// ```
extension ObjectKey {
  /// The first file identifier that has no room in a key.
  package static var globalHighLimit: UInt64 { 1 << 30 }

  /// The key of the object that the file `high` made as its `low`-th; nil if no key has room for
  /// the two.
  ///
  /// - Parameter ownIdent: The identifier of the file that is to hold the object; 0 while it has
  ///   none. A file's own objects have 0 in their keys.
  package init?(globalHigh high: UInt64, low: UInt64, ownIdent: UInt64 = 0) {
    let high = high == ownIdent ? 0 : high
    guard high < Self.globalHighLimit, low < 1 << 32 else { return nil }
    let bits =
      (low & 0xFF) | (high & 0xFF) << 8 | (low & 0xFFFF_FF00) << 8 | (high & 0x3FFF_FF00) << 32
    self.init(Int64(bitPattern: bits))
  }

  /// The file that made the object, and the object's number there.
  ///
  /// - Parameter ownIdent: The identifier of the file that holds the object; 0 while it has none.
  package func globalParts(ownIdent: UInt64 = 0) -> (high: UInt64, low: UInt64) {
    let bits = UInt64(bitPattern: rawValue)
    let low = (bits & 0xFF) | (bits >> 8 & 0xFFFF_FF00)
    let high = (bits >> 8 & 0xFF) | (bits >> 32 & 0x3FFF_FF00)
    return (high == 0 ? ownIdent : high, low)
  }
}
