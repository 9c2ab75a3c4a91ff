// SPDX-License-Identifier: Apache-2.0

// Sums and extremes of packed integers.

package import RealmStorage

/// Aggregates over nodes of packed integers.
package enum PackedSums {
  /// The sum of elements `first ..< first + count`, wrapping around on overflow.
  ///
  /// - Safety: the elements exist, the layout is `.bits`.
  package static func sum(_ node: Node, first: Int, count: Int) -> Int64 {
    let payload = unsafe node.payload
    var total: Int64 = 0
    var index = first
    let end = first &+ count
    // One plain loop for each width: these vectorise.
    switch node.header.widthCode {
    case 0: return 0
    case 4:
      (total, index) = unsafe byteSum(payload, first, end)
      while index < end {
        unsafe total &+= Int64(payload.load(fromByteOffset: index, as: Int8.self))
        index &+= 1
      }
    case 5:
      (total, index) = unsafe halfSum(payload, first, end)
      while index < end {
        unsafe total &+= Int64(payload.load(fromByteOffset: index &* 2, as: Int16.self))
        index &+= 1
      }
    case 6:
      while index < end {
        unsafe total &+= Int64(payload.load(fromByteOffset: index &* 4, as: Int32.self))
        index &+= 1
      }
    case 7:
      while index < end {
        unsafe total &+= payload.load(fromByteOffset: index &* 8, as: Int64.self)
        index &+= 1
      }
    default:
      total = unsafe narrowSum(payload, code: node.header.widthCode, end: end)
      if first == 1 { total &-= node.uncheckedInteger(at: 0) }
    }
    return total
  }

  /// The sum of as many bytes as fill words, and the index after them.
  ///
  /// With 128 added to each they have no sign, and two share a lane of sixteen bits. Words are as
  /// quick as vectors here, and fifteen times as quick where nothing is optimised.
  @inline(never)
  private static func byteSum(
    _ payload: UnsafeRawPointer, _ first: Int, _ end: Int
  ) -> (sum: Int64, index: Int) {
    let signs: UInt64 = 0x8080_8080_8080_8080
    let lanes: UInt64 = 0x00FF_00FF_00FF_00FF
    let pairs: UInt64 = 0x0000_FFFF_0000_FFFF
    var total: Int64 = 0
    var index = first
    while index &+ 8 <= end {
      var sums: UInt64 = 0
      let start = index
      // So many words cannot overflow a lane.
      let stop = min(end, index &+ 8 &* 128)
      while index &+ 8 <= stop {
        let word = unsafe payload.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ signs
        sums &+= (word & lanes) &+ (word &>> 8 & lanes)
        index &+= 8
      }
      sums = (sums & pairs) &+ (sums &>> 16 & pairs)
      total &+= Int64((sums & 0xFFFF_FFFF) &+ (sums &>> 32)) &- 128 &* Int64(index &- start)
    }
    return (total, index)
  }

  /// The same for halves, in lanes of 32 bits.
  @inline(never)
  private static func halfSum(
    _ payload: UnsafeRawPointer, _ first: Int, _ end: Int
  ) -> (sum: Int64, index: Int) {
    let signs: UInt64 = 0x8000_8000_8000_8000
    let lanes: UInt64 = 0x0000_FFFF_0000_FFFF
    var total: Int64 = 0
    var index = first
    while index &+ 4 <= end {
      var sums: UInt64 = 0
      let start = index
      let stop = min(end, index &+ 4 &* 32_768)
      while index &+ 4 <= stop {
        let word =
          unsafe payload.loadUnaligned(
            fromByteOffset: index &* 2, as: UInt64.self) ^ signs
        sums &+= (word & lanes) &+ (word &>> 16 & lanes)
        index &+= 4
      }
      total &+= Int64((sums & 0xFFFF_FFFF) &+ (sums &>> 32)) &- 32_768 &* Int64(index &- start)
    }
    return (total, index)
  }

  /// The sum of the first `end` elements of 1, 2 or 4 bits, whole words at a time.
  private static func narrowSum(_ payload: UnsafeRawPointer, code: Int, end: Int) -> Int64 {
    let width = 1 &<< (code &- 1)
    let bitCount = end &* width
    var total: Int64 = 0
    var done = 0
    while done < bitCount {
      var word = unsafe payload.load(fromByteOffset: done &>> 3, as: UInt64.self)
      let left = bitCount &- done
      if left < 64 { word &= (1 &<< UInt64(truncatingIfNeeded: left)) &- 1 }
      switch code {
      case 1: total &+= Int64(word.nonzeroBitCount)
      case 2:
        let high = (word &>> 1 & 0x5555_5555_5555_5555).nonzeroBitCount
        total &+= Int64((word & 0x5555_5555_5555_5555).nonzeroBitCount &+ 2 &* high)
      default:
        let nibbles: UInt64 = 0x0F0F_0F0F_0F0F_0F0F
        // Eight sums of two nibbles, added up by the multiplication into the top byte (at most
        // 240).
        let sums = (word & nibbles) &+ (word &>> 4 & nibbles)
        total &+= Int64((sums &* 0x0101_0101_0101_0101) &>> 56)
      }
      done &+= 64
    }
    return total
  }

  /// The sum of the elements `first + row` of the rows of a mask, wrapping around on overflow.
  ///
  /// - Safety: the elements exist, the layout is `.bits`.
  package static func sum(_ node: Node, first: Int, rows: LeafMask) -> Int64 {
    var total: Int64 = 0
    for row in rows { total &+= node.uncheckedInteger(at: first &+ row) }
    return total
  }

  /// The smallest and the largest of the elements `first + row` of the rows of a mask.
  ///
  /// - Safety: the elements exist, the layout is `.bits`; the mask is not empty.
  package static func bounds(_ node: Node, first: Int, rows: LeafMask) -> ClosedRange<Int64> {
    var smallest = Int64.max
    var largest = Int64.min
    let last = node.count &- first
    if rows.count == last {
      // All of them: one plain loop for each width, which vectorises.
      switch node.header.widthCode {
      case 4: return unsafe bounds(node.payload + first, last, of: Int8.self)
      case 5: return unsafe bounds(node.payload + first &* 2, last, of: Int16.self)
      case 6: return unsafe bounds(node.payload + first &* 4, last, of: Int32.self)
      case 7: return unsafe bounds(node.payload + first &* 8, last, of: Int64.self)
      default: break
      }
    }
    for row in rows {
      let value = node.uncheckedInteger(at: first &+ row)
      smallest = min(smallest, value)
      largest = max(largest, value)
    }
    return smallest...max(smallest, largest)
  }

  @inline(__always)
  private static func bounds<T: FixedWidthInteger & BitwiseCopyable>(
    _ start: UnsafeRawPointer, _ count: Int, of type: T.Type
  ) -> ClosedRange<Int64> {
    var smallest = T.max
    var largest = T.min
    var index = 0
    while index < count {
      let value = unsafe start.loadUnaligned(
        fromByteOffset: index &* MemoryLayout<T>.size, as: T.self)
      smallest = value < smallest ? value : smallest
      largest = value > largest ? value : largest
      index &+= 1
    }
    return Int64(smallest)...Int64(max(smallest, largest))
  }
}
