// SPDX-License-Identifier: Apache-2.0

// Reads DEFLATE data.

/// Decompresses DEFLATE blocks (RFC 1951) into an output of known size.
///
/// Invariants:
/// 1. Any input gives the output or an error, and no memory is taken beyond the announced size and
///    the tables.
struct Inflate {
  private var reader: BitReader
  private let input: [UInt8]
  private var codes = DeflateCodes()
  /// The number of written bytes.
  private var written = 0

  private init(_ input: [UInt8], from position: Int) {
    self.input = input
    reader = BitReader(bytes: input, position: position)
  }

  /// Decompresses the blocks at a position. Returns the output and the position of the first byte
  /// after the blocks.
  static func decompress(
    _ input: [UInt8], from position: Int, byteCount: Int
  ) throws(CompressionError) -> (output: [UInt8], end: Int) {
    guard byteCount >= 0, byteCount / DeflateFormat.expansionMax <= input.count - position else {
      throw .impossibleSize
    }
    var inflate = Inflate(input, from: position)
    var output = [UInt8](repeating: 0, count: byteCount)
    var span = output.mutableSpan
    while try !inflate.block(&span) {}
    guard inflate.written == byteCount else { throw .shorterThanAnnounced }
    return (output, try inflate.reader.alignToByte())
  }

  /// Reads one block and returns whether it is the last.
  private mutating func block(_ output: inout MutableSpan<UInt8>) throws(CompressionError) -> Bool {
    let isLast = try reader.number(1) == 1
    switch try reader.number(2) {
    case 0: try stored(&output)
    case 1:
      let fixed = try DeflateCodes.fixed.get()
      try compressed(&output, fixed.literals, fixed.distances)
    case 2:
      try codes.read(from: &reader)
      try compressed(&output, codes.literals, codes.distances)
    default: throw .badBlockType
    }
    return isLast
  }

  private mutating func stored(_ output: inout MutableSpan<UInt8>) throws(CompressionError) {
    let start = try reader.alignToByte()
    guard input.count - start >= 4 else { throw .truncated }
    let count = Int(input[start]) | Int(input[start + 1]) << 8
    guard count ^ 0xFFFF == Int(input[start + 2]) | Int(input[start + 3]) << 8 else {
      throw .badStoredSize
    }
    guard input.count - start - 4 >= count else { throw .truncated }
    guard output.count - written >= count else { throw .longerThanAnnounced }
    for offset in 0..<count { output[written + offset] = input[start + 4 + offset] }
    written += count
    reader.move(to: start + 4 + count)
  }

  /// Reads the literals and matches of a block up to its end.
  private mutating func compressed(
    _ output: inout MutableSpan<UInt8>, _ literals: HuffmanDecoder, _ distances: HuffmanDecoder
  ) throws(CompressionError) {
    var reader = reader
    var written = written
    defer {
      self.reader = reader
      self.written = written
    }
    while true {
      reader.refill()
      let entry = try literals.next(&reader)
      switch entry & HuffmanDecoder.kindMask {
      case HuffmanDecoder.literal:
        guard written < output.count else { throw .longerThanAnnounced }
        output[written] = UInt8(truncatingIfNeeded: entry >> 16)
        written &+= 1
      case HuffmanDecoder.base:
        let length = reader.value(of: entry)
        let distanceEntry = try distances.next(&reader)
        guard distanceEntry & HuffmanDecoder.kindMask == HuffmanDecoder.base else {
          throw .badCode
        }
        let distance = reader.value(of: distanceEntry)
        guard distance <= written else { throw .badDistance }
        guard length <= output.count &- written else { throw .longerThanAnnounced }
        for _ in 0..<length {
          output[written] = output[written &- distance]
          written &+= 1
        }
      case HuffmanDecoder.endOfBlock:
        guard !reader.isOverrun else { throw .truncated }
        return
      default: throw .badCode
      }
      // Zeros from beyond the end would decode as symbols until the output is full.
      guard !reader.isOverrun else { throw .truncated }
    }
  }
}
