// SPDX-License-Identifier: Apache-2.0

// Bits from bytes, the lowest first.

/// A position in the bits of a sequence of bytes.
///
/// Invariants:
/// 1. Beyond the end there are zeros; `isOverrun` says whether one of them was consumed.
struct BitReader {
  private var bytes: [UInt8]
  private(set) var position: Int
  /// The next bits, the first lowest.
  private(set) var bits: UInt64 = 0
  /// The number of loaded bits.
  private(set) var count = 0
  /// The number of zeros from beyond the end among the loaded bits.
  private var padding = 0

  init(bytes: [UInt8], position: Int) {
    self.bytes = bytes
    self.position = position
  }

  var isOverrun: Bool { count < padding }

  /// The number of bytes that are not loaded yet.
  var unreadCount: Int { bytes.count - position }

  /// Adds bytes at the end, and gives up the consumed ones.
  ///
  /// - Precondition: Nothing beyond the end was loaded.
  mutating func append(_ more: [UInt8]) {
    assert(padding == 0, "`BitReader` 1: zeros of the end would stand between bytes")
    // Loaded bytes may be given back by `alignToByte()`.
    let consumed = position - (count + 7) / 8
    bytes.removeFirst(consumed)
    position -= consumed
    bytes += more
  }

  /// Consumes whole bytes, after `alignToByte()`.
  mutating func takeBytes(_ count: Int) -> ArraySlice<UInt8> {
    assert(self.count == 0 && count <= unreadCount, "bits are loaded, or the bytes are not there")
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// Loads at least 48 bits.
  @inline(__always)
  mutating func refill() {
    if count < 48 { load() }
  }

  @inline(__always)
  private mutating func load() {
    guard bytes.count - position >= 8 else { return loadSlowly() }
    var next: UInt64 = 0
    for offset in 0..<8 { next |= UInt64(bytes[position &+ offset]) &<< UInt64(offset &* 8) }
    bits |= next &<< UInt64(count)
    position &+= (63 &- count) &>> 3
    count |= 56
  }

  private mutating func loadSlowly() {
    // The fast way leaves bits of the next byte above `count`.
    bits &= (1 << UInt64(count)) - 1
    while count <= 56 {
      if position < bytes.count {
        bits |= UInt64(bytes[position]) << UInt64(count)
        position += 1
      } else {
        padding += 8
      }
      count += 8
    }
  }

  /// Consumes loaded bits.
  @inline(__always)
  mutating func drop(_ number: Int) {
    bits &>>= UInt64(number)
    count &-= number
  }

  /// Consumes at most 16 bits as a number.
  mutating func number(_ width: Int) throws(CompressionError) -> Int {
    refill()
    let value = Int(bits & (1 << UInt64(width) - 1))
    drop(width)
    guard !isOverrun else { throw .truncated }
    return value
  }

  /// Gives up the rest of a byte and returns the position of the next one. No bits are loaded then.
  mutating func alignToByte() throws(CompressionError) -> Int {
    guard !isOverrun else { throw .truncated }
    let aligned = position - (count - padding) / 8
    move(to: aligned)
    return aligned
  }

  mutating func move(to position: Int) {
    self.position = position
    (bits, count, padding) = (0, 0, 0)
  }
}
