// SPDX-License-Identifier: Apache-2.0

// The checksum of the collections of an archive.

#if Server
/// The cyclic redundancy check of 64 bits with the polynomial of ECMA-182, bits reversed.
struct CRC64: Sendable {
  private static let table: [UInt64] = (0..<256).map { index in
    (0..<8).reduce(UInt64(index)) { value, _ in
      value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xC96C_5795_D787_0F42
    }
  }

  private var state: UInt64 = .max

  /// The checksum of the bytes so far.
  var checksum: UInt64 { ~state }

  mutating func add(_ bytes: [UInt8]) {
    var state = state
    let table = Self.table
    for byte in bytes {
      state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state &>> 8
    }
    self.state = state
  }
}
#endif
