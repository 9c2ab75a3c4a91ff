// SPDX-License-Identifier: Apache-2.0

// Finds repetitions in bytes, and writes DEFLATE data.

/// Compresses bytes as DEFLATE blocks (RFC 1951), at one fast level.
struct Deflate {
  private static let matchLengthMin = 4
  private static let stepMax = 31
  private static let empty: Int32 = -1

  private let input: [UInt8]
  /// The last position of each hash of four bytes.
  private var heads: [Int32]
  private let hashShift: UInt32
  private var block = DeflateBlock()
  private var writer: BitWriter

  private init(_ input: [UInt8], after prefix: [UInt8]) {
    self.input = input
    // Small inputs should not pay for clearing a large table.
    let width = min(15, max(8, Int.bitWidth - input.count.leadingZeroBitCount))
    heads = [Int32](repeating: Self.empty, count: 1 << width)
    hashShift = UInt32(32 - width)
    writer = BitWriter(after: prefix)
  }

  /// The blocks of an input, after other bytes.
  ///
  /// - Parameter isOpen: Whether other blocks follow: the data end with an empty block whose last
  ///   bits fill a byte (`DeflateFormat.joint`).
  static func compress(
    _ input: [UInt8], after prefix: [UInt8] = [], isOpen: Bool = false
  ) -> [UInt8] {
    var deflate = Deflate(input, after: prefix)
    deflate.run(isOpen: isOpen)
    return deflate.writer.bytes
  }

  private mutating func run(isOpen: Bool) {
    var position = 0
    var misses = 0
    // Positions are kept in 32 bits; longer inputs have no matches beyond.
    let lastStart = min(input.count, Int(Int32.max)) - Self.matchLengthMin
    while position <= lastStart {
      let word = word(at: position)
      let slot = Int((word &* 0x9E37_79B1) &>> hashShift)
      let candidate = Int(heads[slot])
      heads[slot] = Int32(truncatingIfNeeded: position)
      if candidate >= 0, position &- candidate <= DeflateFormat.distanceMax,
        self.word(at: candidate) == word
      {
        let length = matchLength(candidate, position)
        block.addMatch(length: length, distance: position &- candidate)
        position &+= length
        misses = 0
      } else {
        // Bytes without repetitions are passed faster and faster.
        let end = min(position &+ 1 &+ min(misses &>> 6, Self.stepMax), input.count)
        while position < end {
          block.addLiteral(input[position])
          position &+= 1
        }
        misses &+= 1
      }
      if block.isFull { finishBlock(at: position, isLast: false) }
    }
    while position < input.count {
      block.addLiteral(input[position])
      position += 1
      if block.isFull { finishBlock(at: position, isLast: false) }
    }
    finishBlock(at: position, isLast: !isOpen)
    if isOpen { writer.write(0, 3) }
    writer.alignToByte()
    if isOpen { writer.append(DeflateFormat.joint[...]) }
  }

  private mutating func finishBlock(at position: Int, isLast: Bool) {
    block.write(to: &writer, input: input[position - block.byteCount..<position], isLast: isLast)
    block.removeAll()
  }

  @inline(__always)
  private func word(at position: Int) -> UInt32 {
    let bytes = unsafe input.span.bytes
    return UInt32(
      littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt32.self))
  }

  /// The number of equal bytes, four at least.
  @inline(__always)
  private func matchLength(_ first: Int, _ second: Int) -> Int {
    let bytes = unsafe input.span.bytes
    let end = min(DeflateFormat.matchLengthMax, input.count &- second)
    var length = Self.matchLengthMin
    while length &+ 8 <= end {
      let difference = unsafe UInt64(
        littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: first &+ length, as: UInt64.self)
          ^ bytes.unsafeLoadUnaligned(fromByteOffset: second &+ length, as: UInt64.self))
      if difference != 0 { return length &+ difference.trailingZeroBitCount / 8 }
      length &+= 8
    }
    while length < end, input[first &+ length] == input[second &+ length] { length &+= 1 }
    return length
  }
}
