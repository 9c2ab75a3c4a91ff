// SPDX-License-Identifier: Apache-2.0

// Looking for bytes in a whole leaf at once, instead of value by value.

import RealmStorage

/// Finds the positions of some bytes.
enum SubstringScan {
  private static let laneCount = 16

  /// Calls `body` with each position in the `count` bytes at `start` where `part`, which is not
  /// empty, stands; ascending, until it says false.
  @inline(__always)
  static func forEach(
    _ part: ByteView, in start: UnsafeRawPointer, count: Int, _ body: (Int) -> Bool
  ) {
    guard let wanted = unsafe part.bytes.baseAddress, part.count > 0, part.count <= count else {
      return
    }
    let ends = Ends(first: part[0], last: part[part.count &- 1], firstMask: 0, lastMask: 0)
    unsafe forEach(ends, length: part.count, in: start, count: count, body) {
      unsafe ByteView(start: $0, count: part.count) == ByteView(start: wanted, count: part.count)
    }
  }

  /// Calls `body` with each position in the `count` bytes of ASCII at `start` where the needle,
  /// unless it is empty, stands; ascending, until it says false.
  @inline(__always)
  static func forEach(
    _ needle: ASCIINeedle, in start: UnsafeRawPointer, count: Int, _ body: (Int) -> Bool
  ) {
    let length = needle.count
    guard length > 0, length <= count else { return }
    let ends = Ends(
      first: needle.byte(at: 0), last: needle.byte(at: length &- 1),
      firstMask: needle.mask(at: 0), lastMask: needle.mask(at: length &- 1))
    unsafe forEach(ends, length: length, in: start, count: count, body) {
      unsafe needle.stands(at: $0)
    }
  }

  /// The first and the last byte of what is looked for, and the bits to set in bytes that are
  /// compared with them.
  private struct Ends {
    let first: UInt8
    let last: UInt8
    let firstMask: UInt8
    let lastMask: UInt8
  }

  /// Sixteen positions are tested at once whether the first and the last byte are right; in texts
  /// hardly any is.
  @inline(__always)
  private static func forEach(
    _ ends: Ends, length: Int, in start: UnsafeRawPointer, count: Int, _ body: (Int) -> Bool,
    _ stands: (UnsafeRawPointer) -> Bool
  ) {
    let last = length &- 1
    let firsts = SIMD16<UInt8>(repeating: ends.first)
    let lasts = SIMD16<UInt8>(repeating: ends.last)
    let firstMasks = SIMD16<UInt8>(repeating: ends.firstMask)
    let lastMasks = SIMD16<UInt8>(repeating: ends.lastMask)
    let placeCount = count &- last
    var place = 0
    while place &+ laneCount <= placeCount {
      let here = unsafe start + place
      let isFirst = unsafe (here.loadUnaligned(as: SIMD16<UInt8>.self) | firstMasks) .== firsts
      let isLast =
        unsafe ((here + last).loadUnaligned(as: SIMD16<UInt8>.self) | lastMasks) .== lasts
      // Sixteen lanes as two words: a mask has no cheaper way to say that none of it is set.
      let mask = unsafe unsafeBitCast(isFirst .& isLast, to: SIMD2<UInt64>.self)
      if mask[0] | mask[1] != 0 {
        for lane in 0..<laneCount {
          let word = lane < 8 ? mask[0] : mask[1]
          guard word &>> UInt64(truncatingIfNeeded: (lane & 7) &* 8) & 1 != 0 else { continue }
          if unsafe stands(here + lane), !body(place &+ lane) { return }
        }
      }
      place &+= laneCount
    }
    while place < placeCount {
      if unsafe stands(start + place), !body(place) { return }
      place &+= 1
    }
  }
}
