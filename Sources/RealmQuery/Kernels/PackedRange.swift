// SPDX-License-Identifier: Apache-2.0

// Which packed integers lie in a range: every comparison of integers is this one question.
//
// `x < v` asks for the range below v, `x == v` for the range of one, `x != v` for what is left. A
// range test is one subtraction and one unsigned comparison, in vectors of the leaf's own width.
// The code is concrete for each width: generic over the vector type it is two hundred times slower.
//
// Vectors and masks are cast to words of the same size (`unsafeBitCast`, which checks the sizes):
// a mask is all ones or all zeros in each lane, so its bits can be gathered from words, where the
// library's own reductions go lane by lane.

package import RealmStorage

/// Range tests over nodes of packed integers.
package enum PackedRange {
  /// Bit i tells whether element `first + i` of `node` lies in `lower...upper`.
  ///
  /// - Safety: `first` is 0 or 1, `first + count` at most the node's count, `count` at most 256,
  ///   the layout `.bits`.
  package static func mask(
    _ node: Node, first: Int, count: Int, lower: Int64, upper: Int64
  ) -> LeafMask {
    guard lower <= upper else { return .none }
    let payload = node.payload
    switch node.header.widthCode {
    case 0: return lower <= 0 && upper >= 0 ? LeafMask(firstRows: count) : .none
    case 1, 2, 3:
      return narrowMask(node, first: first, count: count, lower: lower, upper: upper)
    case 4:
      guard lower <= 127, upper >= -128 else { return .none }
      let low = Int8(clamping: lower)
      let span = UInt8(bitPattern: Int8(clamping: upper) &- low)
      return bytes(payload + first, count, UInt8(bitPattern: low), span)
    case 5:
      guard lower <= 32767, upper >= -32768 else { return .none }
      let low = Int16(clamping: lower)
      let span = UInt16(bitPattern: Int16(clamping: upper) &- low)
      return halves(payload + first &* 2, count, UInt16(bitPattern: low), span)
    case 6:
      guard lower <= Int64(Int32.max), upper >= Int64(Int32.min) else { return .none }
      let low = Int32(clamping: lower)
      let span = UInt32(bitPattern: Int32(clamping: upper) &- low)
      return words(payload + first &* 4, count, UInt32(bitPattern: low), span)
    default:
      let low = UInt64(bitPattern: lower)
      return doubleWords(payload + first &* 8, count, low, UInt64(bitPattern: upper) &- low)
    }
  }

  // MARK: Whole bytes and more

  @inline(never)
  static func bytes(
    _ start: UnsafeRawPointer, _ count: Int, _ lower: UInt8, _ span: UInt8
  ) -> LeafMask {
    var mask = LeafMask.none
    let low = SIMD16<UInt8>(repeating: lower)
    let spans = SIMD16<UInt8>(repeating: span)
    var index = 0
    var word: UInt64 = 0
    while index &+ 16 <= count {
      let values = start.loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      let matches = unsafeBitCast((values &- low) .<= spans, to: SIMD2<UInt64>.self)
      let bits = gather8(matches[0]) | gather8(matches[1]) &<< 8
      word |= bits &<< UInt64(truncatingIfNeeded: index & 63)
      index &+= 16
      if index & 63 == 0 {
        mask.words[index &>> 6 &- 1] = word
        word = 0
      }
    }
    if index & 63 != 0 { mask.words[index &>> 6] = word }
    while index < count {
      let value = start.load(fromByteOffset: index, as: UInt8.self)
      if value &- lower <= span { mask.insert(index) }
      index &+= 1
    }
    return mask
  }

  @inline(never)
  static func halves(
    _ start: UnsafeRawPointer, _ count: Int, _ lower: UInt16, _ span: UInt16
  ) -> LeafMask {
    var mask = LeafMask.none
    let low = SIMD8<UInt16>(repeating: lower)
    let spans = SIMD8<UInt16>(repeating: span)
    var index = 0
    // A word of the mask at a time, so that it stays in a register.
    var word: UInt64 = 0
    while index &+ 8 <= count {
      let values = start.loadUnaligned(fromByteOffset: index &* 2, as: SIMD8<UInt16>.self)
      let matches = unsafeBitCast((values &- low) .<= spans, to: SIMD2<UInt64>.self)
      let bits = gather16(matches[0], matches[1])
      word |= bits &<< UInt64(truncatingIfNeeded: index & 63)
      index &+= 8
      if index & 63 == 0 {
        mask.words[index &>> 6 &- 1] = word
        word = 0
      }
    }
    if index & 63 != 0 { mask.words[index &>> 6] = word }
    while index < count {
      let value = start.loadUnaligned(fromByteOffset: index &* 2, as: UInt16.self)
      if value &- lower <= span { mask.insert(index) }
      index &+= 1
    }
    return mask
  }

  @inline(never)
  static func words(
    _ start: UnsafeRawPointer, _ count: Int, _ lower: UInt32, _ span: UInt32
  ) -> LeafMask {
    var mask = LeafMask.none
    let low = SIMD8<UInt32>(repeating: lower)
    let spans = SIMD8<UInt32>(repeating: span)
    var index = 0
    // A word of the mask at a time, so that it stays in a register.
    var word: UInt64 = 0
    while index &+ 8 <= count {
      let values = start.loadUnaligned(fromByteOffset: index &* 4, as: SIMD8<UInt32>.self)
      let matches = unsafeBitCast((values &- low) .<= spans, to: SIMD4<UInt64>.self)
      let bits = gather32(matches)
      word |= bits &<< UInt64(truncatingIfNeeded: index & 63)
      index &+= 8
      if index & 63 == 0 {
        mask.words[index &>> 6 &- 1] = word
        word = 0
      }
    }
    if index & 63 != 0 { mask.words[index &>> 6] = word }
    while index < count {
      let value = start.loadUnaligned(fromByteOffset: index &* 4, as: UInt32.self)
      if value &- lower <= span { mask.insert(index) }
      index &+= 1
    }
    return mask
  }

  @inline(never)
  static func doubleWords(
    _ start: UnsafeRawPointer, _ count: Int, _ lower: UInt64, _ span: UInt64
  ) -> LeafMask {
    var mask = LeafMask.none
    var index = 0
    while index < count {
      // A word of the mask at a time, so that it stays in a register.
      var bits: UInt64 = 0
      let end = min(count, index &+ 64)
      var shift: UInt64 = 0
      var position = index
      while position < end {
        let value = start.loadUnaligned(fromByteOffset: position &* 8, as: UInt64.self)
        bits |= (value &- lower <= span ? 1 : 0) &<< shift
        shift &+= 1
        position &+= 1
      }
      mask.words[index &>> 6] = bits
      index = end
    }
    return mask
  }

  // MARK: Gathering

  /// Bit 0 of each of the eight bytes, as eight bits.
  @inline(__always)
  static func gather8(_ bytes: UInt64) -> UInt64 {
    ((bytes & 0x0101_0101_0101_0101) &* 0x0102_0408_1020_4080) &>> 56
  }

  /// Bit 0 of each of the four halves of two words, as eight bits.
  @inline(__always)
  static func gather16(_ low: UInt64, _ high: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0001_0001_0001_0001
    // Lane k lands on bits 48 + k and 52 + k; no two partial products meet.
    let both = (low & ones) | (high & ones) &<< 4
    return (both &* 0x0001_0002_0004_0008) &>> 48 & 0xFF
  }

  /// Bit 0 of each of the two halves of four words, as eight bits.
  @inline(__always)
  static func gather32(_ lanes: SIMD4<UInt64>) -> UInt64 {
    let ones: UInt64 = 0x0000_0001_0000_0001
    let all =
      (lanes[0] & ones) | (lanes[1] & ones) &<< 2 | (lanes[2] & ones) &<< 4
      | (lanes[3] & ones) &<< 6
    return (all | all &>> 31) & 0xFF
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
    let payload = node.payload
    var mask =
      switch code {
      case 1: bits(payload, stored, low, high)
      case 2: pairs(payload, stored, low, high)
      default: nibbles(payload, stored, low, high)
      }
    if first == 1 {
      mask = mask.shiftedDown()
      if count == 256 {
        let last = UInt8(PackedIntegers.load(payload, widthCode: code, at: 256))
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
      mask.words[word] = payload.load(fromByteOffset: word &* 8, as: UInt64.self) ^ flip
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
      let values = payload.load(fromByteOffset: half &* 8, as: UInt64.self)
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
      let values = payload.load(fromByteOffset: quarter &* 8, as: UInt64.self)
      let even = unsafeBitCast(values & nibble, to: SIMD8<UInt8>.self)
      let odd = unsafeBitCast(values &>> 4 & nibble, to: SIMD8<UInt8>.self)
      let evenMatches = unsafeBitCast((even &- low) .<= spans, to: UInt64.self)
      let oddMatches = unsafeBitCast((odd &- low) .<= spans, to: UInt64.self)
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
