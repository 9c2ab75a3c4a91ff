// SPDX-License-Identifier: Apache-2.0

// Looking for bytes in a whole leaf at once, instead of value by value.

import RealmStorage

/// Finds the positions of some bytes.
enum SubstringScan {
  private static let laneCount = 16

  /// Calls `body` with each position in the `count` bytes at `start` where `part`,
  /// which is not empty, stands; ascending.
  ///
  /// Sixteen positions are tested at once whether the first and the last byte are right; in texts
  /// hardly any is.
  @inline(__always)
  static func forEach(
    _ part: ByteView, in start: UnsafeRawPointer, count: Int, _ body: (Int) -> Void
  ) {
    guard let wanted = unsafe part.bytes.baseAddress, part.count > 0, part.count <= count else {
      return
    }
    let last = part.count &- 1
    let firstByte = part[0]
    let lastByte = part[last]
    let firsts = SIMD16<UInt8>(repeating: firstByte)
    let lasts = SIMD16<UInt8>(repeating: lastByte)
    let placeCount = count &- last
    var place = 0
    while place &+ laneCount <= placeCount {
      let here = unsafe start + place
      let isFirst = unsafe here.loadUnaligned(as: SIMD16<UInt8>.self) .== firsts
      let isLast = unsafe (here + last).loadUnaligned(as: SIMD16<UInt8>.self) .== lasts
      // Sixteen lanes as two words: a mask has no cheaper way to say that none of it is set.
      let mask = unsafe unsafeBitCast(isFirst .& isLast, to: SIMD2<UInt64>.self)
      if mask[0] | mask[1] != 0 {
        for lane in 0..<laneCount {
          let word = lane < 8 ? mask[0] : mask[1]
          guard word &>> UInt64(truncatingIfNeeded: (lane & 7) &* 8) & 1 != 0 else { continue }
          if unsafe equal(here + lane, wanted, part.count) { body(place &+ lane) }
        }
      }
      place &+= laneCount
    }
    while place < placeCount {
      if unsafe equal(start + place, wanted, part.count) { body(place) }
      place &+= 1
    }
  }

  @inline(__always)
  private static func equal(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int
  ) -> Bool {
    unsafe ByteView(start: left, count: count) == ByteView(start: right, count: count)
  }
}
