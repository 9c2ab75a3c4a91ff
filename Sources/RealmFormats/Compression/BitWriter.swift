// SPDX-License-Identifier: Apache-2.0

// Bits become bytes, the lowest first.

/// Bytes, growing by bits.
struct BitWriter {
  private(set) var bytes: [UInt8]
  private var bits: UInt64 = 0
  private var count = 0

  init(after bytes: [UInt8]) { self.bytes = bytes }

  /// Writes at most 32 bits, the lowest first. Bits above the width are zeros.
  @inline(__always)
  mutating func write(_ value: UInt64, _ width: Int) {
    bits |= value &<< UInt64(count)
    count &+= width
    if count >= 32 { flush() }
  }

  @inline(__always)
  private mutating func flush() {
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: bits))
      bits &>>= 8
      count &-= 8
    }
  }

  /// Fills the last byte with zeros.
  mutating func alignToByte() {
    count = (count + 7) & ~7
    flush()
  }

  /// Writes whole bytes. The position is at the beginning of a byte.
  mutating func append(_ slice: ArraySlice<UInt8>) {
    assert(count == 0)
    bytes.append(contentsOf: slice)
  }
}
