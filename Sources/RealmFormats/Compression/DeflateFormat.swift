// SPDX-License-Identifier: Apache-2.0

// The numbers of the DEFLATE format (RFC 1951).

/// The alphabets of DEFLATE, and the meanings of their symbols.
enum DeflateFormat {
  /// The size of an empty stored block, whose header has filled the byte before.
  static let joint: [UInt8] = [0, 0, 0xFF, 0xFF]
  /// An empty stored block that is the last one.
  static let end: [UInt8] = [1, 0, 0, 0xFF, 0xFF]

  static let endOfBlock = 256
  static let matchLengthMax = 258
  static let distanceMax = 32_768
  static let literalSymbolCount = 286
  static let distanceSymbolCount = 30
  /// The most bytes for one compressed byte: 258 in two bits.
  static let expansionMax = 1_032
  /// The order of the code lengths of the code for code lengths.
  static let codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The symbol of a match length, and the extra bits after it.
  @inline(__always)
  static func lengthSymbol(_ length: Int) -> (symbol: Int, extraWidth: Int, extra: Int) {
    let rest = length - 3
    if rest < 8 { return (257 + rest, 0, 0) }
    if length == matchLengthMax { return (285, 0, 0) }
    let width = Int.bitWidth - 1 - rest.leadingZeroBitCount - 2
    return (261 + width << 2 + rest >> width & 3, width, rest & (1 << width - 1))
  }

  /// The symbol of a distance, and the extra bits after it.
  @inline(__always)
  static func distanceSymbol(_ distance: Int) -> (symbol: Int, extraWidth: Int, extra: Int) {
    let rest = distance - 1
    if rest < 4 { return (rest, 0, 0) }
    let width = Int.bitWidth - 1 - rest.leadingZeroBitCount - 1
    return (2 + width << 1 + rest >> width & 1, width, rest & (1 << width - 1))
  }

  /// The lengths of the literal codes in a block with fixed codes, two unused symbols included.
  static let fixedLiteralLengths: [UInt8] = (0..<288).map {
    $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8
  }
  /// The same of the distance codes.
  static let fixedDistanceLengths = [UInt8](repeating: 5, count: 32)

  /// The meanings of the literal symbols, for decoders.
  static let literalEntries: [UInt32] = {
    var entries = (0..<256).map { HuffmanDecoder.literal | $0 << 16 }
    entries.append(HuffmanDecoder.endOfBlock)
    entries += [UInt32](repeating: HuffmanDecoder.invalid, count: 31)
    for length in (3...matchLengthMax).reversed() {
      let (symbol, width, extra) = lengthSymbol(length)
      if extra == 0 {
        entries[symbol] = HuffmanDecoder.base | UInt32(length) << 16 | UInt32(width) << 4
      }
    }
    return entries
  }()

  /// The meanings of the distance symbols, for decoders.
  static let distanceEntries: [UInt32] = {
    var entries = [UInt32](repeating: HuffmanDecoder.invalid, count: 32)
    for symbol in 0..<distanceSymbolCount {
      let width = symbol < 4 ? 0 : symbol >> 1 - 1
      let distance = symbol < 4 ? symbol + 1 : (2 + symbol & 1) << width + 1
      entries[symbol] = HuffmanDecoder.base | UInt32(distance) << 16 | UInt32(width) << 4
    }
    return entries
  }()

  /// The symbols of code lengths, for decoders.
  static let codeLengthEntries: [UInt32] = (0..<19).map { HuffmanDecoder.literal | $0 << 16 }
}
