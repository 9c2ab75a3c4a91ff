// SPDX-License-Identifier: Apache-2.0

// The two prefix codes of a compressed block, for reading.

/// The codes of literals and lengths, and of distances.
struct DeflateCodes {
  private(set) var literals: HuffmanDecoder
  private(set) var distances: HuffmanDecoder
  private var lengths = [UInt8](repeating: 0, count: 320)

  /// Codes that a block has to bring.
  init() {
    literals = HuffmanDecoder(widthMax: 10)
    distances = HuffmanDecoder(widthMax: 8)
  }

  private init(literals: HuffmanDecoder, distances: HuffmanDecoder) {
    self.literals = literals
    self.distances = distances
  }

  /// The codes of blocks that bring none.
  static let fixed = Result { () throws(CompressionError) in
    DeflateCodes(
      literals: try fixed(DeflateFormat.fixedLiteralLengths, DeflateFormat.literalEntries),
      distances: try fixed(DeflateFormat.fixedDistanceLengths, DeflateFormat.distanceEntries))
  }

  private static func fixed(
    _ lengths: [UInt8], _ entries: [UInt32]
  ) throws(CompressionError) -> HuffmanDecoder {
    var decoder = HuffmanDecoder(widthMax: 9)
    try decoder.build(lengths: lengths[...], entries: entries, mayBeIncomplete: false)
    return decoder
  }

  /// Reads the codes of a block with its own.
  mutating func read(from reader: inout BitReader) throws(CompressionError) {
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
    try readLengths(literalCount + distanceCount, from: &reader)
    guard lengths[DeflateFormat.endOfBlock] > 0 else { throw .badCodeLengths }
    try literals.build(
      lengths: lengths[..<literalCount], entries: DeflateFormat.literalEntries,
      mayBeIncomplete: true)
    try distances.build(
      lengths: lengths[literalCount..<literalCount + distanceCount],
      entries: DeflateFormat.distanceEntries, mayBeIncomplete: true)
  }

  /// Reads the lengths of codes, with a code kept in `distances` meanwhile.
  private mutating func readLengths(
    _ count: Int, from reader: inout BitReader
  ) throws(CompressionError) {
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
}

extension BitReader {
  /// The base of an entry and its extra bits.
  @inline(__always)
  mutating func value(of entry: UInt32) -> Int {
    let width = Int(entry >> 4 & 0xF)
    let extra = Int(bits & (1 &<< UInt64(width) &- 1))
    drop(width)
    return Int(entry >> 16) &+ extra
  }
}
