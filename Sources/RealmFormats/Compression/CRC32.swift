// SPDX-License-Identifier: Apache-2.0

// The checksum of gzip.

/// The cyclic redundancy check of 32 bits with the polynomial of IEEE 802.3.
package struct CRC32: Sendable {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in
      value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320
    }
  }

  private var state: UInt32 = .max

  package init() {}

  /// The checksum of the bytes so far.
  package var checksum: UInt32 { ~state }

  /// Adds bytes to the checked ones.
  package mutating func add(_ bytes: some Sequence<UInt8>) {
    var state = state
    let table = Self.table
    for byte in bytes {
      state = table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ state &>> 8
    }
    self.state = state
  }
}
