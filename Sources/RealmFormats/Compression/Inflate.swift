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
  private var literals = HuffmanDecoder(widthMax: 10)
  private var distances = HuffmanDecoder(widthMax: 8)
  private var lengths = [UInt8](repeating: 0, count: 320)
  /// The number of written bytes.
  private var written = 0

  private init(_ input: [UInt8], from position: Int) {
    self.input = input
    reader = BitReader(bytes: input, position: position)
  }

  private static let fixedLiterals = fixed(
    DeflateFormat.fixedLiteralLengths, DeflateFormat.literalEntries)
  private static let fixedDistances = fixed(
    DeflateFormat.fixedDistanceLengths, DeflateFormat.distanceEntries)

  private static func fixed(
    _ lengths: [UInt8], _ entries: [UInt32]
  ) -> Result<HuffmanDecoder, CompressionError> {
    Result { () throws(CompressionError) in
      var decoder = HuffmanDecoder(widthMax: 9)
      try decoder.build(lengths: lengths[...], entries: entries, mayBeIncomplete: false)
      return decoder
    }
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
      let literals = try Self.fixedLiterals.get()
      try compressed(&output, literals, try Self.fixedDistances.get())
    case 2:
      try readCodes()
      try compressed(&output, literals, distances)
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

  /// Reads the codes of a block with its own.
  private mutating func readCodes() throws(CompressionError) {
    let literalCount = try reader.number(5) + 257
    let distanceCount = try reader.number(5) + 1
    let codeLengthCount = try reader.number(4) + 4
    guard literalCount <= DeflateFormat.literalSymbolCount,
      distanceCount <= DeflateFormat.distanceSymbolCount
    else { throw .badCodeLengths }
    for symbol in 0..<19 { lengths[symbol] = 0 }
    for index in 0..<codeLengthCount {
      lengths[DeflateFormat.codeLengthOrder[index]] = UInt8(try reader.number(3))
    }
    try distances.build(
      lengths: lengths[..<19], entries: DeflateFormat.codeLengthEntries, mayBeIncomplete: false)
    try readLengths(literalCount + distanceCount)
    guard lengths[DeflateFormat.endOfBlock] > 0 else { throw .badCodeLengths }
    try literals.build(
      lengths: lengths[..<literalCount], entries: DeflateFormat.literalEntries,
      mayBeIncomplete: true)
    try distances.build(
      lengths: lengths[literalCount..<literalCount + distanceCount],
      entries: DeflateFormat.distanceEntries, mayBeIncomplete: true)
  }

  /// Reads the lengths of codes, with a code kept in `distances` meanwhile.
  private mutating func readLengths(_ count: Int) throws(CompressionError) {
    var index = 0
    while index < count {
      reader.refill()
      let symbol = Int(try distances.next(&reader) >> 16)
      var (value, times): (UInt8, Int) = (0, 1)
      switch symbol {
      case 16:
        guard index > 0 else { throw .badCodeLengths }
        value = lengths[index - 1]
        times = try reader.number(2) + 3
      case 17: times = try reader.number(3) + 3
      case 18: times = try reader.number(7) + 11
      default: value = UInt8(symbol)
      }
      guard times <= count - index, !reader.isOverrun else { throw .badCodeLengths }
      for offset in 0..<times { lengths[index + offset] = value }
      index += times
    }
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
        let length = Self.value(entry, &reader)
        let distanceEntry = try distances.next(&reader)
        guard distanceEntry & HuffmanDecoder.kindMask == HuffmanDecoder.base else {
          throw .badCode
        }
        let distance = Self.value(distanceEntry, &reader)
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

  /// The base of an entry and its extra bits.
  @inline(__always)
  private static func value(_ entry: UInt32, _ reader: inout BitReader) -> Int {
    let width = Int(entry >> 4 & 0xF)
    let extra = Int(reader.bits & (1 &<< UInt64(width) &- 1))
    reader.drop(width)
    return Int(entry >> 16) &+ extra
  }
}
