// SPDX-License-Identifier: Apache-2.0

// The packed integers that lie in a range: every comparison of integers is this one question.
//
// `x < v` asks for the range below v, `x == v` for the range of one, `x != v` for what is left. A
// range test is one subtraction and one unsigned comparison, in vectors of the leaf's own width.

package import RealmStorage

/// Range tests over nodes of packed integers.
package enum PackedRange {
  /// Bit i says whether element `first + i` of `node` lies in `lower...upper`.
  ///
  /// - Parameter upcoming: memory to ask for meanwhile, if any: a node of the same size.
  /// - Safety: `first` is 0 or 1, `first + count` at most the node's count, `count` at most 256,
  ///   the layout `.bits`.
  package static func mask(
    _ node: Node, first: Int, count: Int, lower: Int64, upper: Int64,
    upcoming: UnsafeRawPointer? = nil
  ) -> LeafMask {
    guard lower <= upper else { return .none }
    let payload = unsafe node.payload
    let upcoming = unsafe upcoming ?? node.address
    switch node.header.widthCode {
    case 0: return lower <= 0 && upper >= 0 ? LeafMask(firstRows: count) : .none
    case 1, 2, 3:
      unsafe NodeSpace.prefetch(upcoming, lines: (node.header.nodeByteCount &+ 63) &>> 6)
      return narrowMask(node, first: first, count: count, lower: lower, upper: upper)
    case 4:
      guard lower <= 127, upper >= -128 else { return unsafe none(upcoming) }
      let low = Int8(clamping: lower)
      let span = UInt8(bitPattern: Int8(clamping: upper) &- low)
      return unsafe LeafMask(
        words: CellMasks.bytes(
          payload + first, count, UInt8(bitPattern: low), span, upcoming: upcoming))
    case 5:
      guard lower <= 32767, upper >= -32768 else { return unsafe none(upcoming) }
      let low = Int16(clamping: lower)
      let span = UInt16(bitPattern: Int16(clamping: upper) &- low)
      return unsafe LeafMask(
        words: CellMasks.halves(
          payload + first &* 2, count, UInt16(bitPattern: low), span, upcoming: upcoming))
    case 6:
      guard lower <= Int64(Int32.max), upper >= Int64(Int32.min) else {
        return unsafe none(upcoming)
      }
      let low = Int32(clamping: lower)
      let span = UInt32(bitPattern: Int32(clamping: upper) &- low)
      return unsafe LeafMask(
        words: CellMasks.words(
          payload + first &* 4, count, UInt32(bitPattern: low), span, upcoming: upcoming))
    default:
      let low = UInt64(bitPattern: lower)
      return unsafe LeafMask(
        words: CellMasks.doubleWords(
          payload + first &* 8, count, low, UInt64(bitPattern: upper) &- low, upcoming: upcoming))
    }
  }

  /// No element of a leaf that was not read; reading the next one must not wait for it.
  @inline(__always)
  private static func none(_ upcoming: UnsafeRawPointer) -> LeafMask {
    unsafe NodeSpace.prefetch(upcoming, lines: 1)
    return .none
  }

  /// Bit 0 of each of the eight bytes, as eight bits.
  @inline(__always)
  static func gather8(_ bytes: UInt64) -> UInt64 {
    ((bytes & 0x0101_0101_0101_0101) &* 0x0102_0408_1020_4080) &>> 56
  }
}

// MARK: - Less than a byte

extension PackedRange {
  /// Elements of 1, 2 and 4 bits, which are unsigned.
  private static func narrowMask(
    _ node: Node, first: Int, count: Int, lower: Int64, upper: Int64
  ) -> LeafMask {
    let code = node.header.widthCode
    let largest: Int64 = code == 1 ? 1 : code == 2 ? 3 : 15
    guard lower <= largest, upper >= 0 else { return .none }
    let low = UInt8(max(lower, 0))
    let high = UInt8(min(upper, largest))
    let stored = min(first &+ count, 256)
    let payload = unsafe node.payload
    var mask =
      switch code {
      case 1: unsafe bits(payload, stored, low, high)
      case 2: unsafe pairs(payload, stored, low, high)
      default: unsafe nibbles(payload, stored, low, high)
      }
    if first == 1 {
      mask = mask.shiftedDown()
      if count == 256 {
        let last = unsafe UInt8(PackedIntegers.load(payload, widthCode: code, at: 256))
        if last >= low, last <= high { mask.insert(255) }
      }
    }
    return mask & LeafMask(firstRows: count)
  }

  // Payloads are padded to whole words of 64 bits, which `NodeSpace.node(at:)` has checked to lie
  // inside the file: reading the last word whole is safe.

  private static func bits(
    _ payload: UnsafeRawPointer, _ count: Int, _ lower: UInt8, _ upper: UInt8
  ) -> LeafMask {
    if lower == 0, upper == 1 { return LeafMask(firstRows: count) }
    let flip: UInt64 = lower == 0 ? .max : 0
    var mask = LeafMask.none
    for word in 0..<(count &+ 63) &>> 6 {
      mask.words[word] = unsafe payload.load(fromByteOffset: word &* 8, as: UInt64.self) ^ flip
    }
    return mask
  }

  @inline(never)
  private static func pairs(
    _ payload: UnsafeRawPointer, _ count: Int, _ lower: UInt8, _ upper: UInt8
  ) -> LeafMask {
    let ones: UInt64 = 0x5555_5555_5555_5555
    var mask = LeafMask.none
    for half in 0..<(count &+ 31) &>> 5 {
      let values = unsafe payload.load(fromByteOffset: half &* 8, as: UInt64.self)
      var found: UInt64 = 0
      for value in lower...upper {
        let different = values ^ (ones &* UInt64(value))
        found |= ~(different | different &>> 1) & ones
      }
      mask.words[half &>> 1] |= evenBits(found) &<< UInt64(truncatingIfNeeded: (half & 1) &<< 5)
    }
    return mask
  }

  @inline(never)
  private static func nibbles(
    _ payload: UnsafeRawPointer, _ count: Int, _ lower: UInt8, _ upper: UInt8
  ) -> LeafMask {
    let low = SIMD8<UInt8>(repeating: lower)
    let spans = SIMD8<UInt8>(repeating: upper &- lower)
    let nibble: UInt64 = 0x0F0F_0F0F_0F0F_0F0F
    var mask = LeafMask.none
    for quarter in 0..<(count &+ 15) &>> 4 {
      let values = unsafe payload.load(fromByteOffset: quarter &* 8, as: UInt64.self)
      // A word and a vector of eight bytes have the same bits; the standard library converts them
      // through memory only.
      let even = unsafe unsafeBitCast(values & nibble, to: SIMD8<UInt8>.self)
      let odd = unsafe unsafeBitCast(values &>> 4 & nibble, to: SIMD8<UInt8>.self)
      let evenMatches = unsafe unsafeBitCast((even &- low) .<= spans, to: UInt64.self)
      let oddMatches = unsafe unsafeBitCast((odd &- low) .<= spans, to: UInt64.self)
      let bits = spread(gather8(evenMatches)) | spread(gather8(oddMatches)) &<< 1
      mask.words[quarter &>> 2] |= bits &<< UInt64(truncatingIfNeeded: (quarter & 3) &<< 4)
    }
    return mask
  }

  /// The 32 bits at even positions, moved together.
  @inline(__always)
  private static func evenBits(_ bits: UInt64) -> UInt64 {
    var bits = bits
    bits = (bits | bits &>> 1) & 0x3333_3333_3333_3333
    bits = (bits | bits &>> 2) & 0x0F0F_0F0F_0F0F_0F0F
    bits = (bits | bits &>> 4) & 0x00FF_00FF_00FF_00FF
    bits = (bits | bits &>> 8) & 0x0000_FFFF_0000_FFFF
    return (bits | bits &>> 16) & 0xFFFF_FFFF
  }

  /// Eight bits, moved to even positions.
  @inline(__always)
  private static func spread(_ bits: UInt64) -> UInt64 {
    var bits = bits
    bits = (bits | bits &<< 4) & 0x0F0F
    bits = (bits | bits &<< 2) & 0x3333
    return (bits | bits &<< 1) & 0x5555
  }
}
